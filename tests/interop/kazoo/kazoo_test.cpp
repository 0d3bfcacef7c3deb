// SPDX-License-Identifier: Apache-2.0

// Locks of docent's and of kazoo's on one path.

#include "integration/cli/docent_process.hpp"
#include "peer_lock.hpp"
#include "queue_at.hpp"
#include "servers/pooled_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/inter_process_read_write_lock.hpp>
#include <docent/recipes/lock_options.hpp>

#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include <signal.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::test {
namespace {

/// A thread of the Python peer at one of kazoo's locks (Lock, WriteLock, ReadLock) at /lock. Kazoo is told the names of
/// docent's nodes.
class KazooLock : public PeerLock {
public:
    KazooLock(Peer& peer, std::string thread, const std::string& kind)
        : PeerLock(peer, std::move(thread), {"client=kazoo", "path=/lock", "kind=" + kind}, "try") {}

    std::string contenders() { return ask("contenders")["data"]; }
};

/// A server, a client of docent's and one of kazoo's.
class KazooFixture : public ::testing::Test {
protected:
    std::optional<Peer> python;
    docent::test::PooledServer server{{.java_options = {"-Dznode.container.checkIntervalMs=50"}}};
    Client client{{.connect_string = server.connect_string(), .default_data = "docent"}};
    const LockOptions beside_kazoo{.others = kazoo_contenders()};

    void SetUp() override {
        if (std::string_view(DOCENT_PYTHON).empty()) GTEST_SKIP() << "there is no python3";
        python.emplace("Python", std::vector<std::string>{DOCENT_PYTHON, DOCENT_KAZOO_PEER});
        client.start();
        const auto opened = python->call("open", {"client=kazoo", "connect=" + server.connect_string()});
        if (opened.error == "ModuleNotFoundError") GTEST_SKIP() << "Debian's package python3-kazoo is not installed";
        ASSERT_EQ(opened.error, "");
        client.create("/lock"); // a container could be removed before kazoo's next attempt, and kazoo makes a path only once
    }
    KazooLock kazoos(const std::string& thread, const std::string& kind) { return {*python, thread, kind}; }

    bool queue_reaches(std::size_t length) { return test::queue_reaches(client, "/lock", length); }
};

// ---- InterProcessMutex and kazoo's Lock

class KazooMutex : public KazooFixture {
protected:
    InterProcessMutex mutex{client, "/lock", beside_kazoo};

    KazooLock kazoos(const std::string& thread) { return KazooFixture::kazoos(thread, "Lock"); }
    std::future<Lease> begin_acquire() { return mutex.async_acquire(boost::asio::use_future); }
};

TEST_F(KazooMutex, EachWaitsForTheOther) {
    KazooLock theirs = kazoos("ann");
    ASSERT_TRUE(theirs.acquire());
    EXPECT_FALSE(mutex.try_acquire());
    EXPECT_TRUE(InterProcessMutex(client, "/lock").try_acquire()) << "a mutex without `others` ignores their nodes";
    auto ours = begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(waits(ours));
    const Inspection seen = inspect(client, "/lock", {.others = kazoo_contenders()});
    ASSERT_EQ(seen.participants.size(), 2u);
    EXPECT_TRUE(seen.participants[0].holds);
    EXPECT_EQ(seen.participants[0].data, "ann");
    EXPECT_EQ(seen.participants[1].data, "docent");
    EXPECT_FALSE(seen.participants[1].holds);
    EXPECT_TRUE(seen.strangers.empty());
    EXPECT_EQ(inspect(client, "/lock").strangers.size(), 1u) << "without `others`, the node belongs to no recipe";
    theirs.release();
    Lease lease = granted(ours);
    EXPECT_TRUE(lease.owns());

    EXPECT_FALSE(theirs.try_acquire());
    theirs.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(theirs.waits());
    EXPECT_TRUE(lease.owns());
    lease.release();
    EXPECT_TRUE(theirs.get());
    EXPECT_FALSE(mutex.try_acquire());
}

TEST_F(KazooMutex, StrictOrderOfArrival) {
    Lease first = mutex.acquire();
    expect_strict_order([&](const std::string& thread) { return kazoos(thread); }, [&] { return begin_acquire(); },
                        [&](std::size_t waiting) { return queue_reaches(1 + waiting); }, [&] { first.release(); },
                        [](KazooLock& theirs, std::size_t left) {
                            const bool acquired = theirs.get();
                            if (left == 6) {
                                EXPECT_EQ(theirs.contenders(), "t0,docent,t1,docent,t2,docent");
                            }
                            return acquired;
                        });
    EXPECT_TRUE(queue_reaches(0));
}

TEST_F(KazooMutex, AProgramThatIsKilledGivesItToTheOther) {
    KazooLock theirs = kazoos("ann");
    ASSERT_TRUE(theirs.acquire());
    DocentProcess docents({.words = {"lock", "/lock", "--kazoo", "--session-timeout", "6s", "--", "sleep", "600"},
                           .connect = server.connect_string()});
    ASSERT_TRUE(queue_reaches(2));
    theirs.release();
    theirs.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(theirs.waits());
    docents.send(SIGKILL);
    ASSERT_TRUE(theirs.get());

    auto ours = begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(waits(ours));
    python->kill();
    EXPECT_TRUE(granted(ours).owns());
}

// ---- InterProcessReadWriteLock, and kazoo's ReadLock and WriteLock

class KazooReadWrite : public KazooFixture {
protected:
    InterProcessReadWriteLock lock{client, "/lock", beside_kazoo};

    KazooLock reading(const std::string& thread) { return kazoos(thread, "ReadLock"); }
    KazooLock writing(const std::string& thread) { return kazoos(thread, "WriteLock"); }
    std::future<Lease> begin_read() { return lock.read_lock().async_acquire(boost::asio::use_future); }
    std::future<Lease> begin_write() { return lock.write_lock().async_acquire(boost::asio::use_future); }
};

TEST_F(KazooReadWrite, ReadersOfBothTogetherKeepWritersOfBothOut) {
    KazooLock theirs = reading("ann"), writer = writing("bob");
    Lease ours = lock.read_lock().acquire();
    ASSERT_TRUE(theirs.try_acquire());
    auto ours_too = lock.read_lock().try_acquire();
    ASSERT_TRUE(ours_too);
    EXPECT_FALSE(writer.try_acquire());
    EXPECT_FALSE(lock.write_lock().try_acquire());

    auto our_writer = begin_write();
    ASSERT_TRUE(queue_reaches(4));
    ours.release();
    ours_too->release();
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(waits(our_writer)) << "kazoo's still reads";
    writer.begin_acquire();
    ASSERT_TRUE(queue_reaches(3));
    theirs.release();
    Lease written = granted(our_writer);
    EXPECT_TRUE(written.owns());
    EXPECT_TRUE(writer.waits());
    written.release();
    EXPECT_TRUE(writer.get());
}

TEST_F(KazooReadWrite, AWriterKeepsAllOfTheOtherOut) {
    KazooLock reader = reading("ann"), writer = writing("bob");
    ASSERT_TRUE(writer.acquire());
    EXPECT_FALSE(lock.read_lock().try_acquire());
    EXPECT_FALSE(lock.write_lock().try_acquire());
    auto ours = begin_read();
    ASSERT_TRUE(queue_reaches(2));
    auto more = begin_write();
    ASSERT_TRUE(queue_reaches(3));
    writer.release();
    Lease read = granted(ours);
    EXPECT_TRUE(waits(more));
    read.release();
    Lease written = granted(more);
    EXPECT_FALSE(reader.try_acquire());
    EXPECT_FALSE(writer.try_acquire());
    reader.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(reader.waits());
    written.release();
    EXPECT_TRUE(reader.get());
}

TEST_F(KazooReadWrite, ADowngradedLockAdmitsReadersOfKazooAndNoWriters) {
    KazooLock reader = reading("ann"), writer = writing("bob");
    Lease written = lock.write_lock().acquire();
    reader.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    Lease read = written.downgrade();
    EXPECT_TRUE(reader.get());
    EXPECT_FALSE(writer.try_acquire());
    reader.release();
    EXPECT_FALSE(writer.try_acquire());
    read.release();
    EXPECT_TRUE(writer.try_acquire());
}

/// A mutex waits for readers, too. With the names of the write lock it is a writer for kazoo.
TEST_F(KazooReadWrite, AMutexIsAWriterToThem) {
    InterProcessMutex mutex(client, "/lock", beside_kazoo);
    KazooLock theirs = reading("ann");
    ASSERT_TRUE(theirs.acquire());
    EXPECT_FALSE(mutex.try_acquire());
    theirs.release();
    EXPECT_TRUE(mutex.try_acquire());
}

} // namespace
} // namespace docent::test
