// SPDX-License-Identifier: Apache-2.0

// Docent and Curator ask each other to give up their locks.

#include "locks_fixture.hpp"

#include <docent/recipes/revocation.hpp>

#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <future>

namespace docent::test {
namespace {

class LocksRevocation : public LocksReadWrite {
protected:
    asio::thread_pool pool{1};

    /// Installs a handler that releases, and returns its result.
    std::future<error_code> release_when_asked(Lease& lease) {
        auto released = std::make_shared<std::promise<error_code>>();
        lease.make_revocable(
            [&lease, released] {
                error_code ec;
                lease.release(ec);
                released->set_value(ec);
            },
            pool.get_executor());
        return released->get_future();
    }
    static void expect_success(std::future<error_code>& result) {
        ASSERT_EQ(result.wait_for(generous), std::future_status::ready) << "nobody asked";
        EXPECT_EQ(result.get(), error_code{});
    }
    void curator_revokes(const std::string& node, const Words& words = {}) { curator("revoke", node, words); }
    std::string only_node() {
        const auto names = children();
        return names.size() == 1 ? "/lock/" + names.front() : "not one node";
    }
};

TEST_F(LocksRevocation, CuratorAsksDocent) {
    InterProcessMutex mutex(*client, "/lock");
    Lease lease = mutex.acquire();
    auto released = release_when_asked(lease);
    JavaLock theirs(java, "a", "mutex");
    theirs.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    curator_revokes(lease.node_path());
    expect_success(released);
    EXPECT_TRUE(theirs.get());
}

TEST_F(LocksRevocation, CuratorAsksDocentWhileItWaits) {
    JavaLock theirs(java, "a", "mutex");
    ASSERT_TRUE(theirs.acquire());
    InterProcessMutex mutex(*client, "/lock");
    std::promise<std::string> asked;
    mutex.make_revocable([&](const std::string& node) { asked.set_value(node); });
    auto ours = mutex.async_acquire(asio::use_future);
    ASSERT_TRUE(queue_reaches(2));
    const std::string node = "/lock/" + queue(detail::mutex_names()).back();
    curator_revokes(node);
    theirs.release();
    const Lease lease = granted(ours);
    auto heard = asked.get_future();
    ASSERT_EQ(heard.wait_for(generous), std::future_status::ready);
    EXPECT_EQ(heard.get(), node);
}

TEST_F(LocksRevocation, CuratorAsksBothSidesOfDocent) {
    for (InterProcessMutex* side : {&lock->read_lock(), &lock->write_lock()}) {
        Lease lease = side->acquire();
        auto released = release_when_asked(lease);
        curator_revokes(lease.node_path());
        expect_success(released);
    }
    EXPECT_TRUE(queue_reaches(0));
}

TEST_F(LocksRevocation, CuratorAsksCompressed) {
    Lease lease = lock->write_lock().acquire();
    auto released = release_when_asked(lease);
    curator("set", lease.node_path(), {data_word("__REVOKE__"), "compressed"});
    expect_success(released);
}

TEST_F(LocksRevocation, DocentAsksCurator) {
    JavaLock theirs(java, "a", "mutex");
    for (int i = 0; i < 2; ++i) {
        theirs.make_revocable(); // Curator forgets the listener at each release
        ASSERT_TRUE(theirs.acquire());
        EXPECT_EQ(observer->get(only_node()).data, "") << "of a revocable lock";
        EXPECT_EQ(observer->get(only_node()).stat.version, 0);
        auto ours = InterProcessMutex(*client, "/lock").async_acquire(asio::use_future);
        ASSERT_TRUE(queue_reaches(2));
        revoke(*client, "/lock/" + queue(detail::mutex_names()).front());
        EXPECT_EQ(theirs.await_requests(), "1");
        EXPECT_TRUE(waits(ours)) << "asking takes nothing away";
        theirs.release();
        EXPECT_TRUE(granted(ours).owns());
        ASSERT_TRUE(queue_reaches(0));
    }
}

TEST_F(LocksRevocation, DocentAsksBothSidesOfCurator) {
    for (JavaLock theirs : {reading("r"), writing("w")}) {
        theirs.make_revocable();
        ASSERT_TRUE(theirs.acquire());
        revoke(*client, only_node());
        EXPECT_EQ(theirs.await_requests(), "1");
        theirs.release();
        ASSERT_TRUE(queue_reaches(0));
    }
}

TEST_F(LocksRevocation, DocentThatCompressesAsksCurator) {
    const auto packing = connected({.compression = Compression::compressed});
    JavaLock theirs(java, "a", "mutex");
    theirs.make_revocable();
    ASSERT_TRUE(theirs.acquire());
    revoke(*packing, only_node());
    EXPECT_EQ(theirs.await_requests(), "1");
}

TEST_F(LocksRevocation, CuratorsNodesMayHaveNoDataForDocent) {
    JavaLock theirs(java, "a", "mutex");
    theirs.make_revocable();
    ASSERT_TRUE(theirs.acquire());
    InterProcessMutex mutex(*client, "/lock", {.node_data = ""});
    EXPECT_FALSE(mutex.try_acquire());
    theirs.release();
    Lease lease = mutex.acquire();
    EXPECT_EQ(observer->get(lease.node_path()).data, "");
    auto released = release_when_asked(lease);
    curator_revokes(lease.node_path());
    expect_success(released);
}

} // namespace
} // namespace docent::test
