// SPDX-License-Identifier: Apache-2.0
// A worker of a partition, for benchmarks/moves.py. Prints "begin ITEM" and "end ITEM". Ends when its standard input does.
// Usage: shard_worker CONNECT_STRING ID ITEMS

#include <docent/client.hpp>
#include <docent/recipes/partitioner.hpp>

#include <condition_variable>
#include <exception>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <string>

#include <unistd.h>

namespace {

/// In one write, because many threads print.
void print(const std::string& line) {
    static_cast<void>(::write(STDOUT_FILENO, line.data(), line.size()));
}

void work(const std::string& item, const docent::Lease& lease) {
    print("begin " + item + "\n");
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait(lock, lease.stop_token(), [] { return false; });
    print("end " + item + "\n");
}

} // namespace

int main(int argc, char** argv) try {
    if (argc != 4) throw std::invalid_argument("usage: shard_worker CONNECT_STRING ID ITEMS");
    docent::Client client{{.connect_string = argv[1], .session_timeout = std::chrono::seconds{4}}};
    client.start();
    docent::Partitioner member{client, "/moves/docent", docent::numbered_items(std::stoul(argv[3])), &work, {.id = argv[2]}};
    member.start();
    for (std::string line; std::getline(std::cin, line);) continue;
    member.close();
    return 0;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
