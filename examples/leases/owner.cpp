// SPDX-License-Identifier: Apache-2.0
// Names the thread that takes a lock, so that `docent deadlocks` can tell certain deadlocks from
// possible ones. For docs/on-call/deadlocks.md.
// Usage: owner [CONNECT_STRING]. Without an argument, the program starts a server.

#include "../example_server.hpp"

#include <docent/docent.hpp>

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>

bool names_its_owner(docent::Client& client) {
    // [owner]
    const char* const outer = std::getenv("DOCENT_OWNER"); // whoever runs us under a lock waits for us
    const std::string owner =
        (outer ? outer + std::string("/") : std::string()) + "web-2:" + std::to_string(::getpid()) + ":worker-7";
    docent::InterProcessMutex accounts{client, "/app/accounts", {.node_data = "web-2", .owner = owner}};
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
