// SPDX-License-Identifier: Apache-2.0
// Many threads read a table that is seldom rewritten: without a writer, they read it without a request to the servers.
// docs/recipes/kept_leases.md shows it. Usage: kept_lease [CONNECT_STRING]; without a connect string it starts a server.

#include "../example_server.hpp"

#include <docent/docent.hpp>

#include <chrono>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

using namespace std::chrono_literals;

std::map<std::string, int> prices{{"apple", 1}};

void show_readers(docent::Client& client) {
    // [readers]
    const docent::LockOptions kept{.keep_for = 10s};
    docent::InterProcessReadWriteLock table{client, "/examples/prices", kept};
    const auto look_up = [&] {
        const std::shared_lock reading{table}; // the first one asks the servers
        return prices.at("apple");
    };
    // [readers]
    std::vector<std::future<int>> sums;
    for (int thread = 0; thread < 4; ++thread) {
        sums.push_back(std::async(std::launch::async, [&] {
            int sum = 0;
            for (int i = 0; i < 1000; ++i) sum += look_up();
            return sum;
        }));
    }
    int sum = 0;
    for (auto& one : sums) sum += one.get();
    std::cout << sum << " looked up\n";
}

void show_hand_over(docent::Client& client) {
    // [hand-over]
    const docent::LockOptions local{.max_local_handovers = 100};
    docent::InterProcessMutex ledger{client, "/examples/ledger", local};
    // [hand-over]
    int entries = 0;
    std::vector<std::future<void>> writers;
    for (int thread = 0; thread < 4; ++thread) {
        writers.push_back(std::async(std::launch::async, [&] {
            for (int i = 0; i < 250; ++i) {
                const std::lock_guard lock(ledger);
                ++entries;
            }
        }));
    }
    for (auto& writer : writers) writer.get();
    std::cout << entries << " entries\n";
    if (entries != 1000) throw std::runtime_error("entries are missing");
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        show_readers(client);
        show_hand_over(client);
        return 0;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
