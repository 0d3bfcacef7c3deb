// SPDX-License-Identifier: Apache-2.0

// Docent's read/write locks with kept nodes beside Curator's on the same path.

#include "locks_fixture.hpp"

#include <deque>
#include <future>
#include <shared_mutex>
#include <thread>

namespace docent::test {
namespace {

using namespace std::chrono_literals;

class KeptReadWrite : public LocksReadWrite {
protected:
    void SetUp() override {
        LocksFixture::SetUp();
        lock.emplace(*client, "/lock", LockOptions{.keep_for = 1h});
    }
    /// Reads until the read node is kept without a reader: the second hold has waited until the client knew that no writer
    /// waits.
    void keep_reading() {
        lock->read_lock().acquire().release();
        EXPECT_GT(lock->read_lock().acquire().hold_number(), 1U);
    }
};

/// Threads that share one read node until the test lets them go.
class Readers {
public:
    Readers(InterProcessReadWriteLock& lock, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            auto& reader = readers_.emplace_back();
            reader.thread = std::thread([&lock, &reader] {
                const std::shared_lock reading(lock);
                reader.inside.set_value();
                reader.may_leave.get_future().wait();
            });
        }
        for (auto& reader : readers_) reader.inside.get_future().wait();
    }
    ~Readers() {
        while (!readers_.empty()) let_one_go();
    }
    Readers(const Readers&) = delete;
    Readers& operator=(const Readers&) = delete;
    void let_one_go() {
        readers_.front().may_leave.set_value();
        readers_.front().thread.join();
        readers_.pop_front();
    }

private:
    struct Reader {
        std::promise<void> inside, may_leave;
        std::thread thread;
    };
    std::deque<Reader> readers_;
};

TEST_F(KeptReadWrite, CuratorsWriterRecallsReadersThatAreNotThere) {
    keep_reading();
    ASSERT_EQ(children().size(), 1U);
    JavaLock writer = writing("a");
    ASSERT_TRUE(writer.acquire());
    EXPECT_EQ(children().size(), 1U);
    EXPECT_FALSE(lock->read_lock().try_acquire());
    auto reader = begin_read();
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(waits(reader));
    writer.release();
    EXPECT_TRUE(granted(reader).owns());
}

TEST_F(KeptReadWrite, CuratorsWriterWaitsForAllReadersOfAProcess) {
    keep_reading();
    JavaLock writer = writing("a");
    Readers readers(*lock, 4);
    ASSERT_EQ(children().size(), 1U) << "one node for all of them";
    writer.begin_acquire();
    ASSERT_TRUE(queue_is_known_to_reach(2));
    expect_waits_for(node_at(0, "__READ__"), [&] { return writer.waits(); });
    auto late = begin_read();
    ASSERT_TRUE(queue_reaches(3)) << "nobody comes into a node that is recalled";
    EXPECT_TRUE(waits(late));
    for (int gone = 1; gone < 4; ++gone) {
        readers.let_one_go();
        EXPECT_EQ(children().size(), 3U);
        EXPECT_TRUE(writer.waits());
    }
    readers.let_one_go();
    ASSERT_TRUE(writer.get());
    EXPECT_TRUE(waits(late));
    writer.release();
    EXPECT_TRUE(granted(late).owns());
}

TEST_F(KeptReadWrite, CuratorsReadersRecallNoNode) {
    keep_reading();
    JavaLock reader = reading("a"), writer = writing("b");
    ASSERT_TRUE(reader.acquire());
    EXPECT_GT(lock->read_lock().acquire().hold_number(), 1U);
    EXPECT_EQ(children().size(), 2U);
    writer.begin_acquire(); // recalls docent's read node beside Curator's
    ASSERT_TRUE(eventually([&] {
        const auto names = in_order();
        return names.size() == 2 && names.back().find("__WRIT__") != std::string::npos;
    }));
    EXPECT_TRUE(writer.waits());
    reader.release();
    EXPECT_TRUE(writer.get());
}

TEST_F(KeptReadWrite, ReadersWaitTogetherForCuratorsWriter) {
    JavaLock writer = writing("a");
    ASSERT_TRUE(writer.acquire());
    std::vector<std::future<Lease>> readers;
    for (int i = 0; i < 4; ++i) readers.push_back(begin_read());
    ASSERT_TRUE(queue_reaches(2)) << "one node for all of them";
    for (const auto& reader : readers) EXPECT_TRUE(waits(reader));
    writer.release();
    std::vector<Lease> held;
    for (auto& reader : readers) held.push_back(granted(reader));
    for (const Lease& lease : held) EXPECT_EQ(lease.fencing_token(), held.front().fencing_token());
    EXPECT_FALSE(writer.try_acquire());
}

TEST_F(KeptReadWrite, CuratorsReadersAndWritersRecallAWriter) {
    JavaLock reader = reading("a"), writer = writing("b");
    for (JavaLock* theirs : {&reader, &writer}) {
        lock->write_lock().acquire().release();
        Lease ours = lock->write_lock().acquire();
        EXPECT_EQ(ours.hold_number(), 2U);
        theirs->begin_acquire();
        ASSERT_TRUE(queue_reaches(2));
        expect_waits_for(node_at(0, "__WRIT__"), [&] { return theirs->waits(); });
        ours.release();
        ASSERT_TRUE(theirs->get());
        EXPECT_FALSE(lock->write_lock().try_acquire());
        theirs->release();
    }
    // And a kept node without a holder.
    lock->write_lock().acquire().release();
    EXPECT_EQ(lock->write_lock().acquire().hold_number(), 2U);
    EXPECT_TRUE(reader.acquire());
}

} // namespace
} // namespace docent::test
