// SPDX-License-Identifier: Apache-2.0
// Follows the states of a session: the code of docs/client/session.md.
// Usage: sessions [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/thread_pool.hpp>

#include <future>
#include <iostream>
#include <stdexcept>
#include <utility>

namespace asio = boost::asio;
using namespace std::chrono_literals;

void expect(bool holds, const char* claim) {
    if (!holds) throw std::logic_error(claim);
}

/// A new session: `lost`, then `connected` with the next epoch.
void follow_events(docent::Client& client) {
    // [events]
    docent::SessionEvents events = client.session_events();
    docent::SessionEvent present = events.next(); // later calls wait for a change

    auto subscription = client.listen([](const docent::SessionEvent& event) {
        std::cout << to_string(event.state);
        std::cout << ", epoch " << event.epoch << '\n';
    });
    // [events]
    expect(present.state == docent::SessionState::connected, "the present state comes first");
    client.renew_session();
    expect(events.next().state == docent::SessionState::lost, "the old session is lost");
    docent::SessionEvent next = events.next();
    while (next.state == docent::SessionState::connecting) next = events.next();
    expect(next.state == docent::SessionState::connected && next.epoch == present.epoch + 1,
           "the next session has the next epoch");
}

/// The breaker passes on the loss at once.
void break_circuit(docent::Client& client) {
    asio::thread_pool pool{1};
    std::promise<docent::SessionState> first;
    const auto on_change = [&first, told = false](const docent::SessionEvent& event) mutable {
        if (!std::exchange(told, true)) first.set_value(event.state);
    };
    {
        // [breaker]
        const auto every_5s = docent::RetryPolicy::forever(5s);
        auto calm = docent::circuit_breaking(pool.get_executor(), every_5s, on_change);
        auto subscription = client.listen(std::move(calm), pool.get_executor());
        // [breaker]
        client.renew_session();
        expect(first.get_future().get() == docent::SessionState::lost, "a loss is passed on at once");
    }
    pool.join();
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        client.wait_connected();
        follow_events(client);
        break_circuit(client);
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
