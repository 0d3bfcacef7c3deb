// SPDX-License-Identifier: Apache-2.0
// Two machines take turns at some work: the work is a function on the first machine, and a coroutine on the second.
// docs/recipes/leader_selector.md shows it. Usage: selector [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <future>
#include <iostream>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr int share = 3;
constexpr auto path = "/examples/selector/lead";
constexpr auto report = "/examples/selector/report";

/// Writes one line. The server refuses a client that is not the leader any more.
docent::Transaction line_by(const docent::Lease& lead, const std::string& text) {
    docent::Transaction line;
    line.guard(lead).set_data(report, text);
    return line;
}

void print_failure(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
    }
}

/// The first machine leads `share` times. Returns the number of its turns.
int run_with_a_function(docent::Client& client) {
    std::atomic<int> turns{0};
    std::promise<void> done;
    // [function]
    const auto work = [&](const docent::Lease& lead) { // on a thread of its own
        if (lead.stop_token().stop_requested()) return;
        client.commit(line_by(lead, "turn " + std::to_string(turns + 1)));
        if (++turns == share) done.set_value();
    }; // the next participant leads
    docent::SelectorOptions options{.id = "function", .auto_requeue = true};
    options.on_failure = print_failure; // for exceptions of the work
    docent::LeaderSelector selector{client, path, work, options};
    selector.start();
    // [function]
    done.get_future().get();
    selector.close();
    return turns;
}

/// The second machine leads until it is interrupted.
bool run_with_a_coroutine(docent::Client& client) {
    std::promise<std::int64_t> leads;
    // [coroutine]
    using asio::use_awaitable;
    const auto work = [&](docent::Leadership lead) -> asio::awaitable<void> {
        co_await client.async_commit(line_by(*lead, "hello"), use_awaitable);
        leads.set_value(lead->fencing_token());
        asio::steady_timer serving{co_await asio::this_coro::executor, 24h};
        co_await serving.async_wait(use_awaitable); // until it is cancelled
    };
    docent::LeaderSelector selector{client, path, work, {.id = "coroutine"}};
    selector.start();
    const std::int64_t token = leads.get_future().get();
    selector.interrupt_leadership(); // cancels the coroutine
    selector.close();                // waits for the end of the work
    // [coroutine]
    return token > 0 && !selector.has_leadership();
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client first{{.connect_string = server.connect_string()}};
        docent::Client second{{.connect_string = server.connect_string()}};
        first.start();
        second.start();
        first.create(report, "", {.parents = docent::Parents::persistent, .if_exists = docent::IfExists::accept});

        auto other = std::async(std::launch::async, [&] { return run_with_a_coroutine(second); });
        const int turns = run_with_a_function(first);
        const bool served = other.get();
        std::cout << "led " << turns << " times, and " << (served ? "served" : "did not serve") << '\n';
        return turns >= share && served ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
