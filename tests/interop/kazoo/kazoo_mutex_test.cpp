// SPDX-License-Identifier: Apache-2.0

// InterProcessMutex and kazoo's Lock on one path.

#include "integration/cli/docent_process.hpp"
#include "kazoo_fixture.hpp"

#include <docent/recipes/inspection.hpp>
#include <docent/recipes/inter_process_mutex.hpp>

#include <boost/asio/use_future.hpp>

#include <signal.h>

#include <optional>
#include <vector>

namespace docent::test {
namespace {

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
    EXPECT_TRUE(InterProcessMutex(client, "/lock").try_acquire()) << "who was not told does not see them";
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
    EXPECT_EQ(inspect(client, "/lock").strangers.size(), 1u) << "who was not told does not know it";
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
    constexpr std::size_t pairs = 3;
    Lease first = mutex.acquire();
    std::vector<KazooLock> theirs;
    std::vector<std::future<Lease>> ours;
    for (std::size_t i = 0; i < pairs; ++i) {
        theirs.push_back(kazoos("t" + std::to_string(i)));
        theirs.back().begin_acquire();
        ASSERT_TRUE(queue_reaches(2 * i + 2));
        ours.push_back(begin_acquire());
        ASSERT_TRUE(queue_reaches(2 * i + 3));
    }
    first.release();
    for (std::size_t i = 0; i < pairs; ++i) {
        ASSERT_TRUE(theirs[i].get());
        for (std::size_t later = i + 1; later < pairs; ++later) EXPECT_TRUE(theirs[later].waits()) << later;
        EXPECT_TRUE(waits(ours[i]));
        if (i == 0) {
            EXPECT_EQ(theirs[0].contenders(), "t0,docent,t1,docent,t2,docent");
        }
        theirs[i].release();
        Lease lease = granted(ours[i]);
        for (std::size_t later = i + 1; later < pairs; ++later) EXPECT_TRUE(theirs[later].waits()) << later;
        lease.release();
    }
    EXPECT_TRUE(queue_reaches(0));
}

TEST_F(KazooMutex, AProgramThatIsKilledGivesItToTheOther) {
    KazooLock theirs = kazoos("ann");
    ASSERT_TRUE(theirs.acquire());
    DocentProcess docents({.words = {"lock", "/lock", "--kazoo", "--session-timeout", "4s", "--", "sleep", "600"},
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

} // namespace
} // namespace docent::test
