// SPDX-License-Identifier: Apache-2.0

// A write lock that becomes a read lock keeps its place, in docent and in Curator, whatever contender waits.

#include "locks_fixture.hpp"

namespace docent::test {
namespace {

class LocksDowngrade : public LocksReadWrite {
protected:
    /// Makes the node that Curators after 5.4 make for a thread that writes and then reads (CURATOR-621), and returns its path.
    std::string read_as_later_curators() {
        const std::string write = node_at(0, "__WRIT__");
        return curator("create", "/lock/__READ__" + write.substr(write.size() - 10), {"mode=EPHEMERAL", "protected"})["path"];
    }
};

/// No writer waits before the downgrade: Curator 5.4 would admit it, its own or docent's, because the read node comes behind it
/// (CURATOR-621).
TEST_F(LocksDowngrade, OfCurators) {
    JavaLock write = writing("a"), read = reading("a");
    ASSERT_TRUE(write.acquire());
    auto reader = begin_read();
    ASSERT_TRUE(queue_reaches(2));
    ASSERT_TRUE(read.acquire());
    EXPECT_TRUE(waits(reader));
    EXPECT_FALSE(lock->write_lock().try_acquire());
    auto writer = begin_write();
    ASSERT_TRUE(queue_reaches(4));
    write.release();
    Lease ours = granted(reader);
    EXPECT_TRUE(read.is_held());
    EXPECT_TRUE(waits(writer));
    ours.release();
    expect_waits_for(node_at(0, "__READ__"), [&] { return waits(writer); });
    read.release();
    EXPECT_TRUE(granted(writer).owns());
}

TEST_F(LocksDowngrade, OfLaterCuratorsKeepsDocentsWriterOut) {
    JavaLock write = writing("a");
    ASSERT_TRUE(write.acquire());
    auto writer = begin_write();
    ASSERT_TRUE(queue_reaches(2));
    expect_waits_for(node_at(0, "__WRIT__"), [&] { return waits(writer); }); // only this node is in the way
    const std::string read = read_as_later_curators();
    write.release();
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_EQ("/lock/" + node_at(0, "__READ__"), read);
    expect_waits_for(node_at(0, "__READ__"), [&] { return waits(writer); });
    observer->remove(read);
    EXPECT_TRUE(granted(writer).owns());
}

TEST_F(LocksDowngrade, OfLaterCuratorsLetsDocentsReaderIn) {
    JavaLock write = writing("a");
    ASSERT_TRUE(write.acquire());
    auto reader = begin_read();
    ASSERT_TRUE(queue_reaches(2));
    auto writer = begin_write();
    ASSERT_TRUE(queue_reaches(3));
    const std::string read = read_as_later_curators();
    EXPECT_TRUE(waits(reader));
    write.release();
    Lease ours = granted(reader);
    EXPECT_TRUE(waits(writer));
    ours.release();
    expect_waits_for(node_at(0, "__READ__"), [&] { return waits(writer); });
    observer->remove(read);
    EXPECT_TRUE(granted(writer).owns());
}

TEST_F(LocksDowngrade, OfAThreadOfDocentsKeepsCuratorsWriterOut) {
    JavaLock writer = writing("a");
    lock->lock();
    writer.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    expect_waits_for(node_at(0, "__WRIT__"), [&] { return writer.waits(); });
    lock->lock_shared();
    EXPECT_EQ(children().size(), 3U);
    lock->unlock();
    ASSERT_TRUE(queue_reaches(2));
    expect_waits_for(node_at(0, "__READ__"), [&] { return writer.waits(); });
    EXPECT_TRUE(lock->read_lock().is_owned_by_current_thread());
    lock->unlock_shared();
    EXPECT_TRUE(writer.get());
}

TEST_F(LocksDowngrade, OfAThreadOfDocentsLetsCuratorsReaderIn) {
    JavaLock reader = reading("a"), writer = writing("b");
    lock->lock();
    reader.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    writer.begin_acquire();
    ASSERT_TRUE(queue_reaches(3));
    lock->lock_shared();
    EXPECT_TRUE(reader.waits());
    lock->unlock();
    EXPECT_TRUE(reader.get());
    EXPECT_TRUE(writer.waits());
    reader.release();
    expect_waits_for(node_at(0, "__READ__"), [&] { return writer.waits(); });
    lock->unlock_shared();
    EXPECT_TRUE(writer.get());
}

TEST_F(LocksDowngrade, OfALeaseKeepsCuratorsWriterOut) {
    JavaLock writer = writing("a");
    Lease write = lock->write_lock().acquire();
    writer.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    expect_waits_for(node_at(0, "__WRIT__"), [&] { return writer.waits(); });
    Lease read = write.downgrade();
    ASSERT_TRUE(queue_reaches(2));
    expect_waits_for(node_at(0, "__READ__"), [&] { return writer.waits(); });
    EXPECT_TRUE(read.owns());
    read.release();
    EXPECT_TRUE(writer.get());
}

TEST_F(LocksDowngrade, OfALeaseLetsCuratorsReaderIn) {
    JavaLock reader = reading("a"), writer = writing("b");
    Lease write = lock->write_lock().acquire();
    reader.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    writer.begin_acquire();
    ASSERT_TRUE(queue_reaches(3));
    Lease read = write.downgrade();
    EXPECT_TRUE(reader.get());
    EXPECT_TRUE(writer.waits());
    reader.release();
    expect_waits_for(node_at(0, "__READ__"), [&] { return writer.waits(); });
    read.release();
    EXPECT_TRUE(writer.get());
}

} // namespace
} // namespace docent::test
