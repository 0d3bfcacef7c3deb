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

/// A program under a lease of a fake ensemble. Nothing but an event wakes the supervisor: it looks by itself once an hour.
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

    EventFlag revoked;
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

TEST_F(RevokedLeaseTest, WhoAsksForTheLockWakesTheSupervisor) {
    EXPECT_EQ(supervise(), 128 + SIGTERM);
}

} // namespace
} // namespace docent::cli
