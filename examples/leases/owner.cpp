// SPDX-License-Identifier: Apache-2.0
// Writes the owner into a lock's node, so that `docent deadlocks` can tell certain deadlocks from possible ones.
// docs/on-call/deadlocks.md shows it. Usage: owner [CONNECT_STRING]; without one it starts a server of its own.

#include "../example_server.hpp"

#include <docent/docent.hpp>

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>

bool names_its_owner(docent::Client& client) {
    // [owner]
    const char* const outer = std::getenv("DOCENT_OWNER"); // set by docent lock
    const std::string parent = outer ? std::string(outer) + "/" : "";
    const std::string process = "web-2:" + std::to_string(::getpid());
    const std::string owner = parent + process + ":worker-7";
    const docent::LockOptions options{.node_data = "web-2", .owner = owner};
    docent::InterProcessMutex accounts{client, "/app/accounts", options};
    // [owner]
    const docent::Lease lease = accounts.acquire();
    const auto holders = docent::inspect(client, "/app/accounts").participants;
    return holders.size() == 1 && holders.front().owner == owner && holders.front().data == "web-2";
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        return names_its_owner(client) ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
