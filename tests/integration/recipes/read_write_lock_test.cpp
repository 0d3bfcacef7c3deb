// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "eventually.hpp"
#include "in_threads.hpp"
#include "proxied_test.hpp"
#include "queue_at.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <regex>
#include <shared_mutex>
#include <thread>
#include <tuple>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::eventually;
using docent::testing::Opcode;

class ReadWriteLockTest : public ProxiedTest {
protected:
    explicit ReadWriteLockTest(Sessions sessions = Sessions::usual) : ProxiedTest(sessions) {}

    InterProcessReadWriteLock mine{client, "/rw"};
    InterProcessReadWriteLock theirs{other, "/rw"};

    std::vector<std::string> nodes() { return test::queue_at(other, "/rw"); }
    bool queue_reaches(std::size_t length) { return test::queue_reaches(other, "/rw", length); }
    static std::future<Lease> acquire(InterProcessMutex& side) { return side.async_acquire(boost::asio::use_future); }
    static bool waits(const std::future<Lease>& future) { return future.wait_for(0s) == std::future_status::timeout; }
};

TEST_F(ReadWriteLockTest, NodesAreNamedAsCurators) {
    const Lease write = mine.write_lock().acquire();
    EXPECT_TRUE(std::regex_match(write.node_path(), std::regex("/rw/_c_[0-9a-f-]{36}-__WRIT__[0-9]{10}"))) << write.node_path();
    auto queued = acquire(theirs.read_lock());
    ASSERT_TRUE(queue_reaches(2));
    const auto names = nodes();
    EXPECT_EQ(std::count_if(
                  names.begin(), names.end(),
                  [](const auto& name) { return std::regex_match(name, std::regex("_c_[0-9a-f-]{36}-__READ__[0-9]{10}")); }),
              1);
}

TEST_F(ReadWriteLockTest, ReadersTogetherWritersAlone) {
    Lease first = mine.read_lock().acquire();
    Lease second = theirs.read_lock().acquire();
    EXPECT_TRUE(first.owns() && second.owns());
    EXPECT_FALSE(theirs.write_lock().try_acquire());
    EXPECT_FALSE(mine.write_lock().try_acquire());
    first.release();
    second.release();
    Lease write = mine.write_lock().acquire();
    EXPECT_FALSE(theirs.read_lock().try_acquire());
    EXPECT_FALSE(theirs.write_lock().try_acquire());
    write.release();
    EXPECT_TRUE(theirs.write_lock().try_acquire());
}

/// Readers watch the nearest writer only.
TEST_F(ReadWriteLockTest, ReadersAreWokenOnceForAnyNumberOfWriters) {
    constexpr int readers = 50;
    Lease write = theirs.write_lock().acquire();
    auto second = acquire(theirs.write_lock());
    ASSERT_TRUE(queue_reaches(2));
    auto third = acquire(theirs.write_lock());
    ASSERT_TRUE(queue_reaches(3));
    std::vector<std::future<Lease>> waiting;
    for (int i = 0; i < readers; ++i) waiting.push_back(acquire(mine.read_lock()));
    ASSERT_TRUE(queue_reaches(3 + readers));
    constexpr auto reads = 2u * readers; // each reader reads its node and the node that it waits for
    ASSERT_TRUE(eventually([&] { return proxy.requests(Opcode::get) == reads; }));
    client.sync(); // by then all watches are set
    const auto lists = proxy.requests(Opcode::children2);
    const auto all_wait = [&] { return std::all_of(waiting.begin(), waiting.end(), waits); };
    write.release();
    Lease last_but_one = second.get();
    EXPECT_TRUE(all_wait());
    last_but_one.release();
    Lease last = third.get();
    client.sync();
    EXPECT_TRUE(all_wait());
    last.release();
    for (auto& reader : waiting) EXPECT_TRUE(reader.get().owns());
    EXPECT_EQ(proxy.requests(Opcode::get), reads);
    EXPECT_LE(proxy.requests(Opcode::children2) - lists, static_cast<std::size_t>(readers)) << "one look for one wake-up";
}

TEST_F(ReadWriteLockTest, ThreadThatWritesMayReadAndKeepsItsPlace) {
    mine.lock();
    mine.lock(); // reentrant
    mine.unlock();
    auto writer = acquire(theirs.write_lock());
    ASSERT_TRUE(queue_reaches(2));
    mine.lock_shared();
    EXPECT_TRUE(mine.try_lock_shared()) << "reentrant";
    mine.unlock_shared();
    ASSERT_TRUE(queue_reaches(3));
    mine.unlock();
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_FALSE(theirs.read_lock().try_acquire()) << "a writer waits in front of a new reader";
    EXPECT_TRUE(waits(writer)) << "it reads in front of the writer";
    EXPECT_TRUE(mine.read_lock().is_owned_by_current_thread());
    EXPECT_FALSE(mine.write_lock().is_owned_by_current_thread());
    mine.unlock_shared();
    EXPECT_TRUE(writer.get().owns());
}

TEST_F(ReadWriteLockTest, LeaseCanBeDowngraded) {
    Lease write = mine.write_lock().acquire();
    auto reader = acquire(theirs.read_lock());
    ASSERT_TRUE(queue_reaches(2));
    auto writer = acquire(theirs.write_lock());
    ASSERT_TRUE(queue_reaches(3));
    const std::string digits = write.node_path().substr(write.node_path().size() - 10);
    Lease read = write.downgrade();
    EXPECT_EQ(write.state(), LeaseState::released);
    EXPECT_TRUE(read.node_path().ends_with("-__READ__" + digits)) << read.node_path();
    EXPECT_EQ(read.fencing_token(), write.fencing_token());
    EXPECT_TRUE(reader.get().owns()) << "readers behind it come in";
    other.sync(); // behind the list that the end of the write node has caused
    EXPECT_TRUE(waits(writer));
    EXPECT_TRUE(read.owns());
    client.commit(Transaction().guard(read).create("/guarded"));
    read.release();
    const Lease next = writer.get();
    EXPECT_TRUE(next.owns()) << "the reader behind it has released, too";
    EXPECT_GT(next.fencing_token(), read.fencing_token()) << "a store that has seen the reader's would refuse this one";
    EXPECT_FALSE(other.exists(write.node_path()));
}

TEST_F(ReadWriteLockTest, DowngradeSurvivesALostReply) {
    for (const bool before : {true, false}) {
        Lease write = mine.write_lock().acquire();
        before ? proxy.cut_before_request(Opcode::multi) : proxy.cut_before_reply(Opcode::multi);
        const Lease read = write.downgrade();
        EXPECT_TRUE(read.owns());
        ASSERT_TRUE(queue_reaches(1));
        EXPECT_EQ("/rw/" + nodes().front(), read.node_path());
    }
}

TEST_F(ReadWriteLockTest, NoTimeAtAllIsATryForTheWriterItself) {
    mine.lock();
    EXPECT_TRUE(mine.read_lock().try_lock_for(0s));
    EXPECT_TRUE(mine.read_lock().is_owned_by_current_thread());
    mine.unlock_shared();
    mine.unlock();
}

TEST_F(ReadWriteLockTest, ReadingThenWritingWouldWaitForItself) {
    mine.lock_shared();
    EXPECT_EQ(failure_of([&] { mine.lock(); }).code, error::would_deadlock);
    EXPECT_FALSE(mine.try_lock());
    EXPECT_FALSE(mine.try_lock_for(1h)) << "at once";
    error_code ec;
    std::ignore = mine.write_lock().acquire(ec);
    EXPECT_EQ(ec, error::would_deadlock);
    EXPECT_FALSE(mine.write_lock().try_acquire());
    ASSERT_TRUE(queue_reaches(1)) << "nothing is left behind";
    mine.unlock_shared();
    mine.lock();
    std::ignore = mine.read_lock().acquire(ec);
    EXPECT_EQ(ec, error::would_deadlock) << "a lease would wait for this thread's write lock";
    mine.unlock();
}

TEST_F(ReadWriteLockTest, NeitherReentranceNorDowngradeSurvivesTheSession) {
    mine.lock();
    Lease other_path = InterProcessReadWriteLock(client, "/other").write_lock().acquire();
    client.renew_session();
    ASSERT_TRUE(eventually([&] { return !mine.write_lock().is_owned_by_current_thread(); }));
    client.wait_connected();
    EXPECT_EQ(failure_of([&] { mine.lock_shared(); }).code, error::lease_lost);
    EXPECT_EQ(failure_of([&] { mine.try_lock_shared(); }).code, error::lease_lost);
    EXPECT_EQ(failure_of([&] { mine.lock(); }).code, error::lease_lost);
    EXPECT_EQ(failure_of([&] { return other_path.downgrade(); }).code, error::lease_lost);
    EXPECT_TRUE(queue_reaches(0));
    EXPECT_TRUE(theirs.try_lock());
    theirs.unlock();
    mine.unlock();
    mine.lock_shared();
    EXPECT_TRUE(mine.read_lock().is_owned_by_current_thread());
    mine.unlock_shared();
}

/// The session ends while the read node is being made.
TEST_F(ReadWriteLockTest, DowngradeThatTheSessionOvertakesLeavesNothing) {
    Lease write = mine.write_lock().acquire();
    proxy.on_forwarded(Opcode::multi, [this] { proxy.refuse(); });
    proxy.cut_before_reply(Opcode::multi);
    auto read = write.async_downgrade(boost::asio::use_future);
    ASSERT_TRUE(proxy.wait_cuts(1, generous));
    client.renew_session();
    proxy.heal();
    EXPECT_EQ(failure_of([&] { return read.get(); }).code, error::lease_lost);
    EXPECT_TRUE(theirs.try_lock_for(generous));
    EXPECT_TRUE(queue_reaches(1));
    theirs.unlock();
}

/// Another client deletes the write node, and the holder has not heard of it.
TEST_F(ReadWriteLockTest, DowngradeOfADeletedWriteNodeIsRefused) {
    Lease write = mine.write_lock().acquire();
    auto next = acquire(theirs.write_lock());
    ASSERT_TRUE(queue_reaches(2));
    proxy.black_hole(docent::testing::Direction::to_client); // drops all answers of the server
    other.remove(write.node_path());
    const Lease theirs_now = next.get();
    auto read = write.async_downgrade(boost::asio::use_future);
    ASSERT_TRUE(eventually([&] { return proxy.requests(Opcode::multi) == 1; }));
    proxy.heal();
    EXPECT_THROW(std::ignore = read.get(), boost::system::system_error);
    EXPECT_TRUE(theirs_now.owns());
    EXPECT_EQ(nodes().size(), 1u);
}

TEST_F(ReadWriteLockTest, OnlyWriteLeasesCanBeDowngraded) {
    error_code ec;
    Lease read = mine.read_lock().acquire();
    std::ignore = read.downgrade(ec);
    EXPECT_EQ(ec, server_error::bad_arguments);
    EXPECT_TRUE(read.owns()) << "it is as it was";
    Lease mutex = InterProcessMutex(client, "/mutex").acquire();
    std::ignore = mutex.downgrade(ec);
    EXPECT_EQ(ec, server_error::bad_arguments);
    Lease none;
    std::ignore = none.downgrade(ec);
    EXPECT_EQ(ec, error::lease_lost);
    EXPECT_THROW(std::ignore = none.async_downgrade(boost::asio::use_future).get(), boost::system::system_error);
}

TEST_F(ReadWriteLockTest, IsASharedTimedLockable) {
    {
        const std::unique_lock write(mine);
        EXPECT_FALSE(theirs.try_lock_shared());
    }
    {
        const std::shared_lock read(mine, 5s);
        EXPECT_TRUE(read.owns_lock());
        EXPECT_TRUE(theirs.try_lock_shared_until(std::chrono::steady_clock::now() + generous));
        theirs.unlock_shared();
        EXPECT_FALSE(theirs.try_lock_until(std::chrono::system_clock::now() + 1ms));
    }
    EXPECT_TRUE(theirs.try_lock_for(generous));
    theirs.unlock();
    EXPECT_THROW(mine.unlock(), Error);
    EXPECT_THROW(mine.unlock_shared(), Error);
    EXPECT_TRUE(queue_reaches(0));
}

struct ReadWriteLockRestart : ReadWriteLockTest {
    ReadWriteLockRestart() : ReadWriteLockTest(Sessions::outlast_restarts) {}
};

TEST_F(ReadWriteLockRestart, LeavesWaitersTheirPlaces) {
    Lease write = theirs.write_lock().acquire();
    auto reader = acquire(mine.read_lock());
    ASSERT_TRUE(queue_reaches(2));
    auto writer = acquire(mine.write_lock());
    ASSERT_TRUE(queue_reaches(3));
    const auto before = nodes();
    server.restart();
    EXPECT_EQ(nodes(), before);
    write.release();
    reader.get().release();
    EXPECT_TRUE(writer.get().owns());
}

/// Eight clients; one turn in ten is a write. Writers are alone, readers overlap, each client gets all its turns.
TEST_F(ReadWriteLockTest, ManyClientsTakeTurns) {
    constexpr int clients = 8;
    constexpr int turns = 100;
    std::atomic<int> reading = 0;
    std::atomic<int> writing = 0;
    std::atomic<int> together = 0;
    std::atomic<int> overlaps = 0;
    test::in_threads(clients, [&](int c) {
        Client own = started({.connect_string = server.connect_string()});
        InterProcessReadWriteLock lock(own, "/turns");
        for (int turn = 0; turn < turns; ++turn) {
            if ((turn + c) % 10 == 0) {
                const std::unique_lock hold(lock);
                if (++writing != 1 || reading != 0) ++overlaps;
                --writing;
            } else {
                const std::shared_lock hold(lock);
                if (++reading > 1) ++together;
                if (writing != 0) ++overlaps;
                std::this_thread::yield();
                --reading;
            }
        }
    });
    EXPECT_EQ(overlaps, 0);
    EXPECT_GT(together, 0);
}

} // namespace
} // namespace docent
