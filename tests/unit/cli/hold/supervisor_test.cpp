// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/supervisor.hpp"

#include "unit/recipes/lease/lease_fixture.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

/// A program that runs under a lease of a fake ensemble. Only events wake the supervisor: its own look comes once an hour.
class SupervisorTest : public detail::LeaseTest {
protected:
    int supervise() {
        const std::vector<std::shared_ptr<const Lease>> leases{std::make_shared<Lease>(std::move(lease))};
        Guard guard({"sleep", "1000"});
        EXPECT_EQ(guard.start(BootClock::now() + 1h, 1h, {"DOCENT_TEST_SUPERVISED=" + std::to_string(::getpid())}), 0);
        const LossListener losses;
        Signals signals{SIGTERM};
        lose();
        return Supervisor({guard, leases, revoked, losses, "lock /lock", "lock"}, signals, {.grace = 1h, .extend_every = 1h})
            .run();
    }
    virtual void lose() = 0;

    posix::EventFd revoked;
};

class LostLeaseTest : public SupervisorTest {
    void lose() override { client(0).close(); }
};

TEST_F(LostLeaseTest, ALossWakesTheSupervisor) {
    EXPECT_EQ(supervise(), 76);
}

class RevokedLeaseTest : public SupervisorTest {
    void lose() override { revoked.raise(); }
};

TEST_F(RevokedLeaseTest, ARequestForTheLockWakesTheSupervisor) {
    EXPECT_EQ(supervise(), 128 + SIGTERM);
}

class BoundOfSeveralLeases : public detail::LeaseTest {
protected:
    /// Takes a lease of another lock.
    Lease acquire(const std::string& path, std::chrono::milliseconds longest) {
        std::shared_ptr<detail::NodeLease> granted;
        const auto boot_now = [this] { return client(0).boot_now(); };
        const auto driver = std::make_shared<detail::AcquireDriver>(
            view(), detail::QueuePlace{path, detail::mutex_names(), detail::lock_token, detail::Deletion::admits, {.max_hold = longest}},
            detail::AcquireWait{},
            [&, boot_now](error_code, detail::GrantedNode node) {
                granted = detail::NodeLease::make(view(), std::move(node), boot_now);
            },
            boot_now);
        driver->start();
        EXPECT_TRUE(world.run_until([&] { return granted != nullptr; }));
        return Lease(granted);
    }
};

TEST_F(BoundOfSeveralLeases, IsTheEarliest) {
    const auto unlimited = std::make_shared<Lease>(std::move(lease));
    const auto limited = std::make_shared<Lease>(acquire("/other", 100ms));
    ASSERT_GT(unlimited->remaining(), 1s);
    using Leases = std::vector<std::shared_ptr<const Lease>>;
    for (const Leases& leases : {Leases{limited}, Leases{unlimited, limited}, Leases{limited, unlimited}}) {
        const auto bound = certainly_held_until(leases);
        EXPECT_LT(bound, BootClock::now() + 1s);
    }
}

} // namespace
} // namespace docent::cli
