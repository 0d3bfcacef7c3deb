// SPDX-License-Identifier: Apache-2.0
// The first program of docs/tutorials/lock-in-your-service.md: a worker that
// works while it holds a lock.
// [worker]
#include <docent/docent.hpp>

#include <chrono>
#include <iostream>
#include <string>
#include <thread>

using namespace std::chrono_literals;

/// Stands for work that only one process may do at a time.
void work(const std::string& name, const docent::Lease& lease) {
    for (int step = 1; step <= 20 && lease.owns(); ++step) {
        std::cout << name << ": step " << step << std::endl;
        std::this_thread::sleep_for(500ms);
    }
}

void run(const std::string& name, const std::string& servers) {
    docent::ClientConfig config{.connect_string = servers};
    config.session_timeout = 6s; // short, to see the effect soon
    docent::Client client{config};
    client.start();

    docent::LockOptions options{.node_data = name}; // for docent inspect
    docent::InterProcessMutex mutex{client, "/tutorial/lock", options};
    std::cout << name << ": waits for the lock" << std::endl;
    docent::Lease lease = mutex.acquire();
    std::cout << name << ": holds the lock, token " << lease.fencing_token()
              << std::endl;
    work(name, lease);
    lease.release(); // throws docent::Error if the lock was lost
    std::cout << name << ": has released the lock" << std::endl;
}

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "worker";
    try {
        run(name, argc > 2 ? argv[2] : "127.0.0.1:2181");
    } catch (const docent::Error& failure) {
        std::cerr << name << ": " << failure.what() << std::endl;
        return 1;
    }
}
// [worker]
