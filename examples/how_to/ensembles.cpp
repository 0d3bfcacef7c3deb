// SPDX-License-Identifier: Apache-2.0
// The code of docs/how-to/large-fleets.md: a table of paths to ensembles.
// The program starts two servers in place of two ensembles.

#include <docent/docent.hpp>
#include <docent/testing/testing_server.hpp>

#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

using namespace std::chrono_literals;

namespace {

// [table]
/// Knows the ensemble of each path, and has a client for each ensemble.
class Ensembles {
public:
    /// Connect strings by path. A path without an entry belongs to the
    /// ensemble of its nearest parent with an entry.
    using Table = std::map<std::string, std::string>;

    Ensembles(Table table, docent::ClientConfig config)
        : table_(std::move(table)), config_(std::move(config)) {}

    /// Returns the client for a lock at `path`. Any thread may call it.
    docent::Client& of(const std::string& path) {
        std::string at = path;
        while (!table_.contains(at) && at != "/")
            at = std::string(docent::parent_path(at));
        const auto entry = table_.find(at);
        if (entry == table_.end()) throw std::out_of_range(path);
        const std::lock_guard lock(mutex_);
        auto& client = clients_[entry->second];
        if (!client) {
            config_.connect_string = entry->second;
            client = std::make_unique<docent::Client>(config_);
            client->start();
        }
        return *client;
    }

private:
    const Table table_;
    docent::ClientConfig config_;
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<docent::Client>> clients_;
};
// [table]

bool locks_on(const std::string& first, const std::string& second) {
    // [lock]
    Ensembles ensembles{
        {{"/", first}, {"/tenants/blue", second}},
        {.session_timeout = 20s, .heartbeats = docent::Heartbeats::relaxed}};
    const std::string path = "/tenants/blue/export";
    docent::InterProcessMutex mutex{ensembles.of(path), path};
    const docent::Lease lease = mutex.acquire();
    // [lock]
    docent::Client& blue = ensembles.of("/tenants/blue");
    docent::Client& rest = ensembles.of("/tenants/bluebell/export");
    return lease.owns() && blue.exists(path) && !rest.exists(path) &&
           &rest == &ensembles.of("/") && &rest != &blue;
}

bool moves(docent::Client& from, docent::Client& to) {
    const std::string path = "/tenants/green/export";
    // [move]
    docent::InterProcessMutex before{from, path};
    docent::InterProcessMutex after{to, path};
    const docent::Lease old_lease = before.acquire(); // always first
    const docent::Lease lease = after.acquire();
    const auto owns = [&] { return old_lease.owns() && lease.owns(); };
    // [move]
    return owns();
}

bool is(bool holds, const char* claim) {
    if (!holds) std::cerr << "it does not hold: " << claim << '\n';
    return holds;
}

} // namespace

int main() {
    try {
        const docent::testing::TestingServer first;
        const docent::testing::TestingServer second;
        docent::Client from{{.connect_string = first.connect_string()}};
        docent::Client to{{.connect_string = second.connect_string()}};
        from.start();
        to.start();
        bool good =
            is(locks_on(first.connect_string(), second.connect_string()),
               "the lock is on the ensemble of its path, and nowhere else");
        good &= is(moves(from, to), "the holder has the lock on both");
        return good ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
