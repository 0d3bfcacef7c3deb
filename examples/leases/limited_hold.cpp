// SPDX-License-Identifier: Apache-2.0
// Holds with a time limit: a holder that makes progress extends its hold, a holder that hangs loses the lock.
// docs/recipes/limited_holds.md shows it. Usage: limited_hold [CONNECT_STRING]; without a connect string it starts a server.

#include "../example_server.hpp"

#include <docent/docent.hpp>

#include <chrono>
#include <future>
#include <iostream>
#include <string>
#include <vector>

using namespace std::chrono_literals;

constexpr auto path = "/examples/limited-hold";

/// Each page may take five minutes; there is no limit for all pages together.
bool print_all(docent::Client& client, const std::vector<std::string>& pages) {
    // [extend]
    docent::InterProcessMutex printer{client, path, {.max_hold = 5min}};
    const docent::Lease lease = printer.acquire();
    for (const auto& page : pages) {
        if (lease.stop_token().stop_requested()) return false; // lost or expired
        std::cout << page << '\n';
        lease.extend(5min); // from now on
    }
    // [extend]
    return true;
}

/// Hangs until its hold expires, so that another client gets the lock.
bool hang(docent::Client& client, std::promise<void>& begun) {
    // [hang]
    docent::InterProcessMutex printer{client, path, {.max_hold = 200ms}};
    const docent::Lease lease = printer.acquire();
    begun.set_value();
    lease.wait_lost(); // the printer has no paper
    return lease.state() == docent::LeaseState::expired;
    // [hang]
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client first{{.connect_string = server.connect_string()}};
        docent::Client second{{.connect_string = server.connect_string()}};
        first.start();
        second.start();
        std::promise<void> begun;
        auto hung = std::async(std::launch::async, [&] { return hang(first, begun); });
        begun.get_future().get();
        const bool printed = print_all(second, {"one", "two", "three"});
        return hung.get() && printed ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
