// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/docent.hpp>
#include <docent/testing/testing_server.hpp>

#include <iostream>

/// The situation that needs fencing. The first holder stood still while it lost
/// the lock, and another client holds the lock. Then the first holder goes on
/// as if nothing had happened.
struct StaleHolder {
    docent::testing::TestingServer server;
    docent::Client client_of_first{{.connect_string = server.connect_string()}};
    docent::Client client_of_second{
        {.connect_string = server.connect_string()}};
    docent::Lease first;  // lost, but its holder has not checked
    docent::Lease second; // held

    StaleHolder() {
        client_of_first.start();
        client_of_second.start();
        first =
            docent::InterProcessMutex(client_of_first, "/store/lock").acquire();
        client_of_second.remove(
            first.node_path()); // as the end of its session would do
        second = docent::InterProcessMutex(client_of_second, "/store/lock")
                     .acquire();
    }
};

/// For main(): the second holder's write came first, and the first holder's
/// write was refused.
inline int verdict(bool second_wrote, bool first_wrote,
                   const std::string& stored) {
    std::cout << "second holder: " << (second_wrote ? "written" : "refused")
              << "; first holder, too late: "
              << (first_wrote ? "written" : "refused") << "; stored: " << stored
              << '\n';
    return second_wrote && !first_wrote && stored == "of the second" ? 0 : 1;
}
