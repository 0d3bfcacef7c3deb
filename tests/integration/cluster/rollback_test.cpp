// SPDX-License-Identifier: Apache-2.0

// An ensemble goes back to an older state, by a newer epoch, while sessions survive: deleted nodes exist again, new nodes are
// gone. All recipes make progress, although only their living clients could remove the nodes that are left.
// DOCENT_ROLLBACK_ROUNDS sets the number of rounds; tests/README.md says how long they take.

#include "clients.hpp"
#include "eventually.hpp"
#include "patient_cluster.hpp"
#include "seeds.hpp"

#include <docent/docent.hpp>
#include <docent/testing/testing_cluster.hpp>

#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::testing::TestingCluster;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using test::eventually;

/// Returns how many rounds are to be measured; 0 if ctest runs this, which takes one round, perhaps on a busy machine.
std::uint64_t measured_rounds() {
    return number_from("DOCENT_ROLLBACK_ROUNDS", 0);
}

const milliseconds timeout = measured_rounds() == 0 ? 30s : 10s; // the session timeout: the sessions must not end
const milliseconds promised = timeout + 5s;

// ---- the ensemble that goes back

/// A cluster whose last server is stopped at some time and later brings its old state back to the others.
class Ensemble {
public:
    std::string connect_string() const { return cluster_.connect_string(); }

    /// Stops a server that has everything that this client has seen so far: the state to which go_back() returns.
    void remember(Client& client, const std::string& path) {
        cluster_.wait_for_quorum();
        const std::size_t leader = cluster_.leader().value();
        witness_ = leader == 0 ? 1 : 0;
        client.create(path); // after all other requests
        Client reader = started({.connect_string = cluster_.server(witness_).connect_string()});
        ASSERT_TRUE(eventually([&] { return reader.exists(path).has_value(); }));
        cluster_.server(witness_).kill();
    }
    void go_back() {
        for (std::size_t i = 0; i < cluster_.size(); ++i) cluster_.server(i).kill();
        const int epoch = newest_epoch() + 1;
        for (std::size_t i = 0; i < cluster_.size(); ++i) {
            if (i != witness_) {
                std::filesystem::remove_all(data_of(i));
                std::filesystem::copy(data_of(witness_), data_of(i));
            }
            for (const char* name : {"currentEpoch", "acceptedEpoch"}) std::ofstream(data_of(i) / name) << epoch;
        }
        for (std::size_t i = 0; i < cluster_.size(); ++i) cluster_.server(i).start();
        cluster_.wait_for_quorum();
    }

private:
    std::filesystem::path data_of(std::size_t server) { return cluster_.server(server).data_dir() / "version-2"; }
    int newest_epoch() {
        int newest = 0;
        for (std::size_t i = 0; i < cluster_.size(); ++i) {
            for (const char* name : {"currentEpoch", "acceptedEpoch"}) {
                int epoch = 0;
                std::ifstream(data_of(i) / name) >> epoch;
                newest = std::max(newest, epoch);
            }
        }
        return newest;
    }

    TestingCluster cluster_{patient_cluster()};
    std::size_t witness_ = 0;
};

// ---- the recipes

/// One lock of every kind, at the paths of one round, for one client.
struct Locks {
    Locks(Client& client, const std::string& at)
        : mutex(client, at + "/mutex"), read_write(client, at + "/rw"), written(client, at + "/written"),
          downgraded(client, at + "/downgraded"), semaphore(client, at + "/semaphore", 2),
          semaphore_mutex(client, at + "/semaphore_mutex"), multi(client, {at + "/multi/1", at + "/multi/2"}) {}

    InterProcessMutex mutex;
    InterProcessReadWriteLock read_write;
    InterProcessReadWriteLock written;
    InterProcessReadWriteLock downgraded;
    InterProcessSemaphore semaphore;
    InterProcessSemaphoreMutex semaphore_mutex;
    InterProcessMultiLock multi;
};

struct Holds {
    std::vector<Lease> leases = {};
    MultiLease multi = {};

    void release() {
        for (Lease& lease : leases) lease.release();
        multi.release();
    }
};

/// Takes all locks exclusively.
Holds take_all(Locks& locks, const CallOptions& call = {}) {
    Holds holds;
    holds.leases.push_back(locks.mutex.acquire(call));
    holds.leases.push_back(locks.read_write.write_lock().acquire(call));
    holds.leases.push_back(locks.written.write_lock().acquire(call));
    holds.leases.push_back(locks.downgraded.write_lock().acquire(call));
    for (Lease& permit : locks.semaphore.acquire(2, call)) holds.leases.push_back(std::move(permit));
    holds.leases.push_back(locks.semaphore_mutex.acquire(call));
    holds.multi = locks.multi.acquire(call);
    return holds;
}

/// Takes all locks for reading, where they have readers.
Holds take_to_read(Locks& locks) {
    Holds holds;
    holds.leases.push_back(locks.read_write.read_lock().acquire());
    holds.leases.push_back(locks.downgraded.write_lock().acquire().downgrade());
    return holds;
}

class Rollback : public ::testing::Test {
protected:
    Ensemble ensemble;
    ClientConfig config{.connect_string = ensemble.connect_string(), .session_timeout = timeout, .connection_timeout = 60s};
    Client idle{config};   // has released its locks when their nodes come back
    Client reader{config}; // the same, for reading
    Client holder{config}; // holds locks, but their nodes are gone
    Client waiter{config};

    void SetUp() override {
        for (Client* client : {&idle, &reader, &holder, &waiter}) {
            client->start();
            client->wait_connected();
        }
    }
};

TEST_F(Rollback, AllRecipesMakeProgressThoughOnlyIdleClientsKnowTheOrphanedNodes) {
    const auto rounds = measured_rounds();
    const milliseconds longest = rounds == 0 ? 60s : promised;
    milliseconds slowest{0};
    for (std::uint64_t round = 0; round < std::max<std::uint64_t>(rounds, 1); ++round) {
        const std::string at = "/" + std::to_string(round);
        const std::uint64_t idle_epoch = idle.session().epoch;
        Locks idle_locks(idle, at);
        Locks reader_locks(reader, at + "/read");
        InterProcessMutex awaited(holder, at + "/awaited");
        InterProcessMutex waiting(waiter, at + "/awaited");
        InterProcessMutex forgotten(holder, at + "/forgotten");

        Holds old = take_all(idle_locks);
        Holds old_readers = take_to_read(reader_locks);
        Lease first = awaited.acquire();
        auto second = waiting.async_acquire(asio::use_future);
        ASSERT_TRUE(eventually([&] { return holder.children(at + "/awaited").names.size() == 2; }));
        const std::string control = at + "/control"; // no client removes this node again
        idle.create(control, "", {.mode = CreateMode::ephemeral});
        ensemble.remember(idle, at + "/remembered");

        old.release();
        old_readers.release();
        idle.remove(control);
        const Lease lost = forgotten.acquire();
        ensemble.go_back();

        const auto began = steady_clock::now();
        Client fresh = started(config);
        Locks locks(fresh, at);
        const CallOptions call{.timeout = longest};
        take_all(locks, call).release();
        Locks read_locks(fresh, at + "/read");
        take_all(read_locks, call).release();
        InterProcessMutex remade(fresh, at + "/forgotten");
        const Lease newer = remade.acquire(call);
        lost.wait_lost(call);
        error_code may_be_lost; // the session may be lost if the servers took long
        first.release(may_be_lost);
        ASSERT_EQ(second.wait_until(began + longest), std::future_status::ready);
        EXPECT_TRUE(second.get().owns());
        const auto took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - began);
        EXPECT_LE(took, longest);
        slowest = std::max(slowest, took);
        std::cout << "round " << round + 1 << ": progress after " << took.count() << " ms" << std::endl;

        EXPECT_GT(newer.fencing_token(), lost.fencing_token());
        EXPECT_EQ(idle.session().epoch, idle_epoch)
            << "a session that ends takes its orphaned nodes with it: this showed nothing";
        EXPECT_TRUE(fresh.exists(control)) << "the ensemble did not go back";
    }
    std::cout << "rounds " << std::max<std::uint64_t>(rounds, 1) << ", slowest " << slowest.count() << " ms, promised "
              << promised.count() << " ms" << std::endl;
}

} // namespace
} // namespace docent
