// SPDX-License-Identifier: Apache-2.0
// The lines that README.md shows. Usage: first_steps [CONNECT_STRING]; without one it starts a server of its own.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <iostream>

using namespace std::chrono_literals;

void write_report(std::int64_t fencing_token) {
    std::cout << "writing under fencing token " << fencing_token << '\n';
}

// [readme]
void nightly_report(const std::string& servers) {
    docent::Client client{{.connect_string = servers, .session_timeout = 10s}};
    client.start();

    docent::InterProcessMutex mutex{client, "/locks/nightly"};
    docent::Lease lease = mutex.acquire();      // our turn among all processes, C++ or Java
    if (!lease.stop_token().stop_requested()) { // set before anybody else can hold the lock
        write_report(lease.fencing_token());    // grows with every holder
    }
} // released here
// [readme]

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    nightly_report(server.connect_string());
}
