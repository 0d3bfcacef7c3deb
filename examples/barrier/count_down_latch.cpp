// SPDX-License-Identifier: Apache-2.0
// A start waits until three parts are ready; docs/recipes/count_down_latch.md shows it.
// Usage: count_down_latch [CONNECT_STRING]; without a connect string it starts a server.

#include "../example_server.hpp"

#include <docent/docent.hpp>

#include <future>
#include <iostream>
#include <string>
#include <vector>

constexpr int parts = 3;

void get_ready(docent::Client& client, const std::string& path) {
    // [count-down]
    docent::CountDownLatch latch{client, path, parts};
    latch.count_down(); // counts once, also after a lost reply
    // [count-down]
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        const std::string path = "/examples/start-" + std::to_string(client.session().session_id); // one path for each start
        std::vector<std::future<void>> getting_ready;
        for (int i = 0; i < parts; ++i) {
            getting_ready.push_back(std::async(std::launch::async, [&] { get_ready(client, path); }));
        }
        // [await-count]
        docent::CountDownLatch latch{client, path, parts};
        latch.wait(); // until all parts have counted down
        // [await-count]
        const bool all = latch.left() == 0;
        for (auto& part : getting_ready) part.get();
        client.remove(path);
        std::cout << (all ? "all are ready\n" : "too early\n");
        return all ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
