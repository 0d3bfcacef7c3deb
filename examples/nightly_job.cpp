// SPDX-License-Identifier: Apache-2.0
// Machines A and B both start the nightly job at the same time; it must run once a night. Who comes second finds it done.
// docs/recipes/once_per_period.md shows it. Usage: nightly_job [CONNECT_STRING]; without one it starts a server of its own.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <atomic>
#include <future>
#include <iostream>
#include <syncstream>
#include <thread>

using namespace std::chrono_literals;

std::atomic<int> times_run{0};

/// The job asks in small steps whether it may go on, and shows its fencing token wherever it writes.
bool run_job(const docent::Lease& lease) {
    ++times_run;
    for (int step = 0; step < 10; ++step) {
        if (lease.stop_token().stop_requested()) return false; // the lock was lost: somebody else may begin
        std::this_thread::sleep_for(10ms);                     // store.write(row, lease.fencing_token());
    }
    return true;
}

void nightly(const std::string& machine, const std::string& connect_string, const std::string& path) {
    docent::Client client{{.connect_string = connect_string, .default_data = machine}};
    client.start();
    // [nightly]
    docent::InterProcessMutex mutex{client, path};
    docent::OncePerPeriod nightly{client, path, 23h}; // started every night, a little sooner or later

    const docent::Lease lease = mutex.acquire({.timeout = 30s});
    const docent::JobStart start = nightly.begin(lease);
    std::osyncstream out(std::cout);
    if (!start.due) {
        out << machine << ": done already, by " << start.last->who << '\n';
        return;
    }
    if (!run_job(lease)) return;    // counts as not done: the next one runs it
    nightly.complete(lease, start); // in a transaction that only the holder of the lock can commit
    // [nightly]
    out << machine << ": did the job\n";
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    const std::string path = "/examples/nightly-" + std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
    try {
        auto a = std::async(std::launch::async, [&] { nightly("A", server.connect_string(), path); });
        auto b = std::async(std::launch::async, [&] { nightly("B", server.connect_string(), path); });
        a.get();
        b.get();
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
    return times_run == 1 ? 0 : 1;
}
