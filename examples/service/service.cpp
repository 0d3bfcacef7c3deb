// SPDX-License-Identifier: Apache-2.0
// A service on several machines of which one works at a time: coroutines, a mutex, steps that only the holder can commit, what
// to do when the lock is lost, and an orderly end. docs/tutorials/service.md shows it. Usage: service [CONNECT_STRING]: until
// SIGTERM or SIGINT. Without one it starts a server of its own, stops it for a while, and checks what has come of it.

#include <docent/docent.hpp>
#include <docent/testing/testing_server.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <exception>
#include <functional>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>

#include <signal.h>
#include <unistd.h>

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto counter = "/examples/service/counter";
constexpr auto session_timeout = 2s;                            // for an example that does not take long; 10 s are better
constexpr auto as_result = asio::as_tuple(asio::use_awaitable); // an error is a part of the result, not an exception

struct Diary {
    std::atomic<int> steps = 0;
    std::atomic<int> unknown = 0; // steps that may have been made
    std::atomic<int> losses = 0;
};

// [step]
/// One step of the work: the servers refuse it if the lock is not ours any more, whether we know it or not.
asio::awaitable<docent::error_code> make_step(docent::Client& client, const docent::Lease& lease, std::stop_token stop) {
    const docent::CallOptions until_stop{.stop = stop};
    auto [unread, before] = co_await client.async_get(counter, {}, until_stop, as_result);
    if (unread) co_return unread;
    docent::Transaction step;
    step.guard(lease).set_data(counter, std::to_string(std::stoi(before.data) + 1), before.stat.version).exactly_once();
    auto [refused, done] = co_await client.async_commit(step, until_stop, as_result);
    co_return refused;
}
// [step]

// [serve]
struct EndTurn {
    std::stop_source turn;
    void operator()() { turn.request_stop(); }
};

asio::awaitable<void> serve(docent::Client& client, std::stop_token stop, Diary& diary) {
    asio::steady_timer pause{co_await asio::this_coro::executor};
    docent::InterProcessMutex mutex{client, "/examples/service/lock", {.node_data = "service on this machine"}};
    const docent::CallOptions until_stop{.stop = stop};
    while (!stop.stop_requested()) {
        auto [not_acquired, lease] = co_await mutex.async_acquire(until_stop, as_result); // as long as it takes
        if (not_acquired) {
            if (!stop.stop_requested()) std::cerr << "waiting for the lock: " << not_acquired.message() << '\n';
            pause.expires_after(100ms); // no server, say: it has waited for one, and tries again
            co_await pause.async_wait(as_result);
            continue;
        }
        std::stop_source turn_over; // a call has one stop token: both reasons to stop meet here
        const std::stop_callback on_stop{stop, EndTurn{turn_over}};
        const std::stop_callback on_loss{lease.stop_token(), EndTurn{turn_over}};
        while (!turn_over.stop_requested()) {
            const docent::error_code failed = co_await make_step(client, lease, turn_over.get_token());
            if (!failed) ++diary.steps;
            if (failed == docent::condition::outcome_unknown || failed == asio::error::operation_aborted) ++diary.unknown;
            if (failed == docent::error::lease_lost) break; // a server knows it before us
            pause.expires_after(10ms);
            co_await pause.async_wait(as_result);
        }
        if (lease.state() == docent::LeaseState::lost) ++diary.losses; // stop what the lock was for, and stand in line again
        co_await lease.async_release(as_result);                       // the next one has its turn now
    }
    co_await client.async_close(as_result); // and the session ends now, not when it times out
}
// [serve]

// [main]
void run_service(const std::string& servers, Diary& diary) {
    asio::io_context io;
    docent::Client client{io.get_executor(), {.connect_string = servers, .session_timeout = session_timeout}};
    client.start(); // waits for nobody: the service comes up without a server, too
    std::stop_source stop;
    asio::signal_set signals{io, SIGTERM, SIGINT};
    signals.async_wait([&](docent::error_code ec, int) {
        if (!ec) stop.request_stop();
    });
    asio::co_spawn(io, serve(client, stop.get_token(), diary), [&](const std::exception_ptr& failure) {
        signals.cancel();
        if (failure) std::rethrow_exception(failure); // out of run()
    });
    io.run();
}
// [main]

/// A server that stands still for longer than a session is borne with, and a signal at the end.
void disturb(docent::testing::TestingServer& server, const Diary& diary, const std::stop_token& given_up) {
    const auto await = [&](const std::function<bool()>& condition) {
        while (!condition() && !given_up.stop_requested()) std::this_thread::sleep_for(5ms);
    };
    await([&] { return diary.steps >= 3; });
    server.pause();
    await([&] { return diary.losses == 1; });
    server.resume();
    const int before = diary.steps;
    await([&] { return diary.steps >= before + 3; });
    if (!given_up.stop_requested()) ::kill(::getpid(), SIGTERM);
}

int main(int argc, char** argv) {
    try {
        Diary diary;
        if (argc > 1) {
            run_service(argv[1], diary);
            return 0;
        }
        docent::testing::TestingServer server;
        docent::Client observer{{.connect_string = server.connect_string()}};
        observer.start();
        observer.create(counter, "0", {.parents = docent::Parents::persistent});
        std::jthread operating([&](const std::stop_token& given_up) { disturb(server, diary, given_up); });
        run_service(server.connect_string(), diary);
        const int counted = std::stoi(observer.get(counter).data);
        std::cout << counted << " counted, " << diary.steps << " steps, " << diary.unknown << " unknown, " << diary.losses
                  << " loss\n";
        const bool nobody_waits = docent::inspect(observer, "/examples/service/lock").participants.empty();
        return counted >= diary.steps && counted <= diary.steps + diary.unknown && nobody_waits ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
