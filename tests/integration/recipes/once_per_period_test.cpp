// SPDX-License-Identifier: Apache-2.0
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <string>

namespace docent {
namespace {

using namespace std::chrono_literals;

class OncePerPeriodTest : public ProxiedTest {
protected:
    InterProcessMutex mutex{client, "/jobs/nightly", {.node_data = "first"}};
    InterProcessMutex others_mutex{other, "/jobs/nightly", {.node_data = "second"}};
    OncePerPeriod hourly{client, "/jobs/nightly", 1h};
    OncePerPeriod others_hourly{other, "/jobs/nightly", 1h};

    std::string record() { return other.get("/jobs/nightly.last-run").data; }

    /// Moves the last run so far into the past.
    void age(std::chrono::milliseconds time) {
        const std::string last = record();
        const std::size_t blank = last.find(' ');
        const auto began = std::stoll(last.substr(0, blank)) - time.count();
        other.set("/jobs/nightly.last-run", std::to_string(began) + last.substr(blank));
    }
};

TEST_F(OncePerPeriodTest, TheLastRunIsReportedWithoutItsOwner) {
    InterProcessMutex owned{client, "/jobs/nightly", {.node_data = "first", .owner = "a/b"}};
    const Lease lease = owned.acquire();
    EXPECT_EQ(lease.data(), "first");
    const JobStart start = hourly.begin(lease);
    hourly.complete(lease, start);
    EXPECT_EQ(record(), std::to_string(start.now.time_since_epoch().count()) + " first");
}

TEST_F(OncePerPeriodTest, TheFirstRunsItAndTheOthersFindItDone) {
    Lease lease = mutex.acquire();
    const JobStart start = hourly.begin(lease);
    EXPECT_TRUE(start.due);
    EXPECT_FALSE(start.last);
    hourly.complete(lease, start);
    EXPECT_EQ(record(), std::to_string(start.now.time_since_epoch().count()) + " first");
    lease.release();

    lease = others_mutex.acquire();
    JobStart second = others_hourly.begin(lease);
    EXPECT_FALSE(second.due);
    EXPECT_EQ(second.last, (JobRun{start.now, "first"}));
    EXPECT_GE(second.now, start.now);
    age(1h);
    second = others_hourly.begin(lease);
    EXPECT_TRUE(second.due);
    others_hourly.complete(lease, second);
    lease.release();
    EXPECT_FALSE(hourly.begin(mutex.acquire()).due);
}

TEST_F(OncePerPeriodTest, ARunThatWasNotCompletedDoesNotCount) {
    EXPECT_TRUE(hourly.begin(mutex.acquire()).due);
    const Lease lease = others_mutex.acquire();
    EXPECT_TRUE(others_hourly.begin(lease).due);
    EXPECT_EQ(record(), "");
    EXPECT_TRUE(inspect(other, "/jobs/nightly").strangers.empty()) << "the record is not in the queue";
}

TEST_F(OncePerPeriodTest, TimesAreThoseOfTheServer) {
    const Lease lease = mutex.acquire();
    const JobStart start = hourly.begin(lease);
    const Stat stat = other.get("/jobs/nightly.last-run").stat;
    EXPECT_EQ(start.now.time_since_epoch().count(), stat.mtime);
    EXPECT_EQ(start.version, stat.version);
}

TEST_F(OncePerPeriodTest, AHolderThatLostTheLockWritesNoRecord) {
    Lease lease = mutex.acquire();
    const JobStart start = hourly.begin(lease);
    other.remove(lease.node_path());
    error_code ec;
    hourly.complete(lease, start, ec);
    EXPECT_EQ(ec, error::lease_lost);
    hourly.begin(lease, ec);
    EXPECT_EQ(ec, error::lease_lost);
    hourly.begin(Lease(), ec);
    EXPECT_EQ(ec, error::lease_released);
    EXPECT_EQ(record(), "");
    EXPECT_EQ(other.get("/jobs/nightly.last-run").stat.version, start.version);
}

/// If complete() made the record again, it would be a container, as the parent of the transaction's marker. The servers would
/// then remove it like an empty lock.
TEST_F(OncePerPeriodTest, ARecordThatWasRemovedDuringTheRunIsNotMadeAgain) {
    const Lease lease = mutex.acquire();
    const JobStart start = hourly.begin(lease);
    other.remove("/jobs/nightly.last-run");
    error_code ec;
    hourly.complete(lease, start, ec);
    EXPECT_EQ(ec, server_error::no_node);
    EXPECT_FALSE(other.exists("/jobs/nightly.last-run"));
}

TEST_F(OncePerPeriodTest, ForeignDataIsLeftAlone) {
    const Lease lease = mutex.acquire();
    const JobStart start = hourly.begin(lease);
    other.set("/jobs/nightly.last-run", "of somebody else");
    error_code ec;
    hourly.complete(lease, start, ec);
    EXPECT_EQ(ec, server_error::bad_version);
    hourly.begin(lease, ec);
    EXPECT_EQ(ec, error::corrupt_data);
    hourly.complete(lease, {}, ec);
    EXPECT_EQ(ec, server_error::bad_arguments) << "a run that nobody has begun";
    EXPECT_EQ(record(), "of somebody else");
}

TEST_F(OncePerPeriodTest, InvalidArgumentsAreRefused) {
    EXPECT_THROW(OncePerPeriod(client, "/", 1h), Error);
    EXPECT_THROW(OncePerPeriod(client, "nightly", 1h), Error);
    EXPECT_THROW(OncePerPeriod(client, "/nightly", 0h), Error);
}

TEST_F(OncePerPeriodTest, AsynchronouslyToo) {
    Lease lease = mutex.acquire();
    const JobStart start = hourly.async_begin(lease, asio::use_future).get();
    EXPECT_TRUE(start.due);
    hourly.async_complete(lease, start, asio::use_future).get();
    EXPECT_FALSE(hourly.begin(lease).due);
}

} // namespace
} // namespace docent
