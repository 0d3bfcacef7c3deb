// SPDX-License-Identifier: Apache-2.0
// A service that runs on several machines and works on one machine at a time:
// the code of docs/tutorials/service.md. Usage: service [CONNECT_STRING]; runs
// until SIGTERM or SIGINT. Without a connect string it starts a server, pauses
// the server for a while, and checks the result.

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
constexpr auto lock_path = "/examples/service/lock";
constexpr auto session_timeout = 2s; // short, for an example; 10 s are better

struct Counters {
    std::atomic<int> steps = 0;
    std::atomic<int> unknown = 0; // steps that may have been applied
    std::atomic<int> losses = 0;
};

// [step]
// The error is a part of the result; nothing is thrown.
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

/// One step of the work: adds 1 to the counter. The servers refuse the step if
/// the lock is gone, also when this process does not know of the loss yet.
asio::awaitable<docent::error_code> make_step(docent::Client& client,
                                              const docent::Lease& lease,
                                              std::stop_token stop) {
    const docent::CallOptions until_stop{.stop = stop};
    auto [unread, before] =
        co_await client.async_get(counter, {}, until_stop, as_result);
    if (unread) co_return unread;

    const int next = std::stoi(before.data) + 1;
    docent::Transaction step;
    step.guard(lease).exactly_once();
    step.set_data(counter, std::to_string(next), before.stat.version);
    auto [refused, done] =
        co_await client.async_commit(step, until_stop, as_result);
    co_return refused;
}
// [step]

// [work]
struct RequestStop {
    std::stop_source source;
    void operator()() { source.request_stop(); }
};

/// Makes steps until the lock is lost or the service is to stop.
asio::awaitable<void> work(docent::Client& client, const docent::Lease& lease,
                           std::stop_token stop, Counters& counters) {
    std::stop_source end; // a call takes one token; we have two reasons
    const std::stop_callback on_stop{stop, RequestStop{end}};
    const std::stop_callback on_loss{lease.stop_token(), RequestStop{end}};

    asio::steady_timer pause{co_await asio::this_coro::executor};
    while (!end.stop_requested()) {
        const docent::error_code ec =
            co_await make_step(client, lease, end.get_token());
        if (!ec) {
            ++counters.steps;
        } else if (ec == docent::error::lease_lost) {
            break; // a server knew of the loss before this client
        } else if (ec == docent::condition::outcome_unknown ||
                   ec == asio::error::operation_aborted) {
            ++counters.unknown;
        } else {
            std::cerr << "no step: " << ec.message() << '\n';
        }
        pause.expires_after(10ms);
        co_await pause.async_wait(as_result);
    }
}
// [work]

// [serve]
asio::awaitable<void> serve(docent::Client& client, std::stop_token stop,
                            Counters& counters) {
    asio::steady_timer pause{co_await asio::this_coro::executor};
    docent::InterProcessMutex mutex{client, lock_path};
    while (!stop.stop_requested()) {
        auto [ec, lease] = co_await mutex.async_acquire(stop, as_result);
        if (ec) {
            if (!stop.stop_requested()) {
                std::cerr << "no lock: " << ec.message() << '\n';
            }
            pause.expires_after(100ms);
            co_await pause.async_wait(as_result);
            continue;
        }
        co_await work(client, lease, stop, counters);
        if (lease.state() == docent::LeaseState::lost) ++counters.losses;
        co_await lease.async_release(as_result); // lets the next waiter in
    }
    co_await client.async_close(as_result); // ends the session now
}
// [serve]

// [run]
void run_service(const std::string& servers, Counters& counters) {
    asio::io_context io;
    docent::ClientConfig config{.connect_string = servers};
    config.session_timeout = session_timeout;
    docent::Client client{io.get_executor(), config};
    client.start(); // does not wait for a server

    std::stop_source stop;
    asio::signal_set signals{io, SIGTERM, SIGINT};
    signals.async_wait([&](docent::error_code ec, int) {
        if (!ec) stop.request_stop();
    });
    const auto on_end = [&](const std::exception_ptr& failure) {
        signals.cancel();
        if (failure) std::rethrow_exception(failure); // out of run()
    };
    asio::co_spawn(io, serve(client, stop.get_token(), counters), on_end);
    io.run(); // returns when serve() has ended and the client is closed
}
// [run]

/// Pauses the server until the service has lost its lock. Resumes it, and ends
/// the service by a signal after three more steps.
void disturb(docent::testing::TestingServer& server, const Counters& counters,
             const std::stop_token& given_up) {
    const auto await = [&](const std::function<bool()>& condition) {
        while (!condition() && !given_up.stop_requested())
            std::this_thread::sleep_for(5ms);
    };
    await([&] { return counters.steps >= 3; });
    const int losses = counters.losses;
    server.pause();
    await([&] { return counters.losses > losses; });
    server.resume();
    const int steps = counters.steps;
    await([&] { return counters.steps >= steps + 3; });
    if (!given_up.stop_requested()) ::kill(::getpid(), SIGTERM);
}

int main(int argc, char** argv) {
    try {
        Counters counters;
        if (argc > 1) {
            run_service(argv[1], counters);
            return 0;
        }
        docent::testing::TestingServer server;
        docent::Client observer{{.connect_string = server.connect_string()}};
        observer.start();
        observer.create(counter, "0", {.parents = docent::Parents::persistent});
        std::jthread operating([&](const std::stop_token& given_up) {
            disturb(server, counters, given_up);
        });
        run_service(server.connect_string(), counters);
        const int counted = std::stoi(observer.get(counter).data);
        std::cout << counted << " counted, " << counters.steps << " steps, "
                  << counters.unknown << " unknown, " << counters.losses
                  << " loss\n";
        const bool queue_is_empty =
            docent::inspect(observer, "/examples/service/lock")
                .participants.empty();
        return counted >= counters.steps &&
                       counted <= counters.steps + counters.unknown &&
                       queue_is_empty
                   ? 0
                   : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
