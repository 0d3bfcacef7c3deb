// SPDX-License-Identifier: Apache-2.0

// InterProcessReadWriteLock: docent's and Curator's on one path.

#include "locks_fixture.hpp"

namespace docent::test {
namespace {

TEST_F(LocksReadWrite, ReadersOfBothTogether) {
    JavaLock theirs = reading("a"), more = reading("b"), writer = writing("c");
    const Lease ours = lock->read_lock().acquire();
    ASSERT_TRUE(theirs.try_acquire());
    const auto ours_too = lock->read_lock().try_acquire();
    EXPECT_TRUE(ours_too);
    EXPECT_TRUE(more.try_acquire());
    EXPECT_TRUE(ours.owns() && theirs.is_held());
    EXPECT_FALSE(writer.try_acquire());
    EXPECT_FALSE(lock->write_lock().try_acquire());
}

TEST_F(LocksReadWrite, CuratorsReaderKeepsDocentsWriterOut) {
    JavaLock theirs = reading("a");
    ASSERT_TRUE(theirs.acquire());
    EXPECT_FALSE(lock->write_lock().try_acquire());
    auto ours = begin_write();
    ASSERT_TRUE(queue_reaches(2));
    expect_waits_for(node_at(0, "__READ__"), [&] { return waits(ours); });
    theirs.release();
    EXPECT_TRUE(granted(ours).owns());
}

TEST_F(LocksReadWrite, DocentsReaderKeepsCuratorsWriterOut) {
    JavaLock theirs = writing("a");
    Lease ours = lock->read_lock().acquire();
    EXPECT_FALSE(theirs.try_acquire());
    theirs.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    expect_waits_for(node_at(0, "__READ__"), [&] { return theirs.waits(); });
    ours.release();
    EXPECT_TRUE(theirs.get());
}

TEST_F(LocksReadWrite, CuratorsWriterKeepsAllOfDocentsOut) {
    JavaLock theirs = writing("a");
    ASSERT_TRUE(theirs.acquire());
    EXPECT_FALSE(lock->read_lock().try_acquire());
    EXPECT_FALSE(lock->write_lock().try_acquire());
    auto reader = begin_read();
    ASSERT_TRUE(queue_reaches(2));
    auto writer = begin_write();
    ASSERT_TRUE(queue_reaches(3));
    expect_waits_for(node_at(0, "__WRIT__"), [&] { return waits(reader) && waits(writer); });
    theirs.release();
    Lease read = granted(reader);
    EXPECT_TRUE(waits(writer));
    read.release();
    EXPECT_TRUE(granted(writer).owns());
}

TEST_F(LocksReadWrite, DocentsWriterKeepsAllOfCuratorsOut) {
    JavaLock reader = reading("a"), writer = writing("b");
    Lease ours = lock->write_lock().acquire();
    EXPECT_FALSE(reader.try_acquire());
    EXPECT_FALSE(writer.try_acquire());
    reader.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    writer.begin_acquire();
    ASSERT_TRUE(queue_reaches(3));
    expect_waits_for(node_at(0, "__WRIT__"), [&] { return reader.waits() && writer.waits(); });
    ours.release();
    EXPECT_TRUE(reader.get());
    EXPECT_TRUE(writer.waits());
    reader.release();
    EXPECT_TRUE(writer.get());
}

/// Readers of both clients overlap, up to the next writer.
TEST_F(LocksReadWrite, StrictOrderOfArrival) {
    JavaLock reader = reading("a"), writer = writing("b"), late_reader = reading("c");
    Lease first = lock->write_lock().acquire();
    reader.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    auto our_reader = begin_read();
    ASSERT_TRUE(queue_reaches(3));
    writer.begin_acquire();
    ASSERT_TRUE(queue_reaches(4));
    auto our_late_reader = begin_read();
    ASSERT_TRUE(queue_reaches(5));
    late_reader.begin_acquire();
    ASSERT_TRUE(queue_reaches(6));
    auto our_writer = begin_write();
    ASSERT_TRUE(queue_reaches(7));

    first.release();
    EXPECT_TRUE(reader.get());
    Lease read = granted(our_reader);
    const auto late_wait = [&] { return waits(our_late_reader) && late_reader.waits() && waits(our_writer); };
    EXPECT_TRUE(writer.waits() && late_wait());
    read.release();
    EXPECT_TRUE(writer.waits() && late_wait()) << "Curator's still reads";
    reader.release();
    EXPECT_TRUE(writer.get());
    EXPECT_TRUE(late_wait());
    writer.release();
    EXPECT_TRUE(late_reader.get());
    Lease late_read = granted(our_late_reader);
    EXPECT_TRUE(waits(our_writer));
    late_reader.release();
    EXPECT_TRUE(waits(our_writer));
    late_read.release();
    EXPECT_TRUE(granted(our_writer).owns());
}

TEST_F(LocksReadWrite, BothSeeTheSameParticipants) {
    JavaLock writer = writing("a"), reader = reading("b"), asking_readers = reading("c"), asking_writers = writing("c");
    ASSERT_TRUE(writer.acquire());
    auto first = begin_read();
    ASSERT_TRUE(queue_reaches(2));
    auto second = begin_write();
    ASSERT_TRUE(queue_reaches(3));
    reader.begin_acquire();
    ASSERT_TRUE(queue_reaches(4));
    const auto names = in_order();
    ASSERT_EQ(names.size(), 4U);
    EXPECT_EQ(asking_writers.participants(), names[0] + ',' + names[2]);
    EXPECT_EQ(asking_readers.participants(), names[1] + ',' + names[3]);
    writer.release();
    EXPECT_EQ(granted(first).node_path(), "/lock/" + names[1]);
}

TEST_F(LocksReadWrite, ContainerReapedInBetween) {
    JavaLock reader = reading("a"), writer = writing("b");
    for (int i = 0; i < 3; ++i) {
        Lease ours = lock->write_lock().acquire();
        EXPECT_FALSE(reader.try_acquire());
        ours.release();
        ASSERT_TRUE(is_reaped());
        ASSERT_TRUE(writer.acquire());
        EXPECT_FALSE(lock->read_lock().try_acquire());
        writer.release();
        ASSERT_TRUE(is_reaped());
        Lease read = lock->read_lock().acquire();
        EXPECT_TRUE(read.node_path().ends_with("__READ__0000000000")) << read.node_path();
        ASSERT_TRUE(reader.acquire());
        read.release();
        reader.release();
        ASSERT_TRUE(is_reaped());
    }
}

} // namespace
} // namespace docent::test
