// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/docent.hpp>
#include <docent/testing/testing_server.hpp>

#include <iostream>

/// A first holder that was paused while it lost the lock to a second holder, and that now goes on.
struct StaleHolder {
    docent::testing::TestingServer server;
    docent::Client client_of_first{{.connect_string = server.connect_string()}};
    docent::Client client_of_second{{.connect_string = server.connect_string()}};
    docent::Lease first;  // lost, and nobody has looked yet
    docent::Lease second; // held

    StaleHolder() {
        client_of_first.start();
        client_of_second.start();
        first = docent::InterProcessMutex(client_of_first, "/store/lock").acquire();
        client_of_second.remove(first.node_path()); // as the end of the session would do
        second = docent::InterProcessMutex(client_of_second, "/store/lock").acquire();
    }
};

/// The result of main(): the write of the second holder came first, and the late write was refused.
inline int verdict(bool second_wrote, bool first_wrote, const std::string& stored) {
    std::cout << "second holder: " << (second_wrote ? "written" : "refused")
              << "; first holder, too late: " << (first_wrote ? "written" : "refused") << "; stored: " << stored << '\n';
    return second_wrote && !first_wrote && stored == "of the second" ? 0 : 1;
}
