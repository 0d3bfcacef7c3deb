// SPDX-License-Identifier: Apache-2.0
// The second program of docs/tutorials/lock-in-your-service.md: a worker
// whose store refuses late writes.
// [fenced-worker]
#include <docent/docent.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

using namespace std::chrono_literals;

/// Stands for your database, which remembers the largest token that it has
/// seen. Refuses a smaller token: then it writes nothing and returns false.
bool write_to_store(std::int64_t token, const std::string& text) {
    const int guard = ::open("store.guard", O_CREAT | O_RDWR, 0644);
    if (guard < 0 || ::flock(guard, LOCK_EX) != 0) {
        throw std::runtime_error("cannot lock store.guard");
    }
    std::int64_t largest = 0;
    std::ifstream("store.txt") >> largest; // stays 0 if there is no file
    const bool accepted = token >= largest;
    if (accepted) std::ofstream("store.txt") << token << ' ' << text << '\n';
    ::close(guard); // unlocks
    return accepted;
}

void run(const std::string& name, const std::string& servers) {
    docent::ClientConfig config{.connect_string = servers};
    config.session_timeout = 6s; // short, to see the effect soon
    docent::Client client{config};
    client.start();

    docent::InterProcessMutex mutex{client, "/tutorial/fenced-lock"};
    docent::Lease lease = mutex.acquire();
    const std::int64_t token = lease.fencing_token();
    std::cout << name << ": holds the lock, token " << token << std::endl;
    for (int step = 1; step <= 20 && lease.owns(); ++step) {
        std::this_thread::sleep_for(500ms); // the work
        const std::string text = name + ", step " + std::to_string(step);
        if (!write_to_store(token, text)) {
            throw std::runtime_error("the store refused the token");
        }
        std::cout << text << std::endl;
    }
    lease.release(); // throws docent::Error if the lock was lost
}

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "worker";
    try {
        run(name, argc > 2 ? argv[2] : "127.0.0.1:2181");
    } catch (const std::exception& failure) {
        std::cerr << name << ": " << failure.what() << std::endl;
        return 1;
    }
}
// [fenced-worker]
