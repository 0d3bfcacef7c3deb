// SPDX-License-Identifier: Apache-2.0
// Machines A and B both start the nightly job at the same time; it must run once a night. The second machine finds it done.
// docs/recipes/once_per_period.md shows it. Usage: nightly_job [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <atomic>
#include <future>
#include <iostream>
#include <syncstream>
#include <thread>

using namespace std::chrono_literals;

std::atomic<int> times_run{0};

/// The job looks at the stop token before each step, and passes its fencing token with each write.
bool run_job(const docent::Lease& lease) {
    ++times_run;
    for (int step = 0; step < 10; ++step) {
        if (lease.stop_token().stop_requested()) return false; // the lock was lost: another machine may begin
        std::this_thread::sleep_for(10ms);                     // store.write(row, lease.fencing_token());
    }
    return true;
}

void nightly(const std::string& machine, const std::string& connect_string, const std::string& path) {
    docent::Client client{{.connect_string = connect_string, .default_data = machine}};
    client.start();
    // [nightly]
    docent::InterProcessMutex mutex{client, path};
    docent::OncePerPeriod nightly{client, path, 12h};

    const docent::Lease lease = mutex.acquire({.timeout = 30s});
    const docent::JobStart start = nightly.begin(lease);
    std::osyncstream out(std::cout);
    if (!start.due) {
        out << machine << ": done already, by " << start.last->who << '\n';
        return;
    }
    if (!run_job(lease)) return;    // not done: the next machine runs it
    nightly.complete(lease, start); // only the holder of the lock can do this
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
