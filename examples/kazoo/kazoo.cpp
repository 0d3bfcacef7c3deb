// SPDX-License-Identifier: Apache-2.0
// A mutex together with Python's kazoo: docs/recipes/kazoo.md shows it, and kazoo_turns.py is the other side.
// Usage: kazoo [CONNECT_STRING]; without a connect string it starts a server.

#include "../example_server.hpp"

#include <docent/docent.hpp>

#include <iostream>
#include <optional>

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        client.create("/examples/kazoo", "", {.parents = docent::Parents::persistent, .if_exists = docent::IfExists::accept});
        // [beside-kazoo]
        docent::LockOptions options{.others = docent::kazoo_contenders()};
        docent::InterProcessMutex mutex{client, "/examples/kazoo", options};
        if (const auto lease = mutex.try_acquire()) {
            std::cout << "no client of docent's or kazoo's holds the lock\n";
        }
        // [beside-kazoo]

        // Without Python: make a node as kazoo does.
        const auto theirs = client.create("/examples/kazoo/6f1d0c4be1f84a9a8a7c3f5d2b0e9c11__lock__", "somebody in Python",
                                          {.mode = docent::CreateMode::ephemeral_sequential});
        const bool waits = !mutex.try_acquire();
        client.remove(theirs.path);
        const bool goes_on = mutex.acquire().owns();
        std::cout << (waits && goes_on ? "it takes its turn after kazoo's\n" : "it does not see kazoo's\n");
        return waits && goes_on ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
