// SPDX-License-Identifier: Apache-2.0

// InterProcessReadWriteLock, and kazoo's ReadLock and WriteLock on one path.

#include "kazoo_fixture.hpp"

#include <docent/recipes/inter_process_read_write_lock.hpp>

#include <boost/asio/use_future.hpp>

namespace docent::test {
namespace {

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
