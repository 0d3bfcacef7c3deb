// SPDX-License-Identifier: Apache-2.0

// Many waiters of one client on the real session and handle, through random schedules. Messages of the servers arrive in
// bursts, and many events reach a waiter that waits for another node by then. DOCENT_SCENARIO_SEEDS in the environment sets the
// number of seeds.

#include "c_client/session_client.hpp"
#include "client/core/access.hpp"
#include "lease/lease_core.hpp"
#include "mutex/mutex_core.hpp"
#include "read_write/read_write_core.hpp"
#include "seeds.hpp"
#include "semaphore/semaphore_operation.hpp"

#include <docent/recipes/lease.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

class Waiters : public test::SessionClient {
public:
    explicit Waiters(std::uint64_t seed) : SessionClient(seed), random_(seed) {
        service.make("/lock");
        service.make("/lock/locks");
        service.make("/lock/leases");
        service.latency = [this] { return 1ms + up_to(2ms); };
    }
    ~Waiters() override { attempts_.clear(); }

    void run() {
        start();
        const auto before = service.tree().paths();
        for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
            step();
            loop.run_for(up_to(6ms));
        }
        for (int i = 0; i < steps && !attempts_.empty(); ++i) { // let all attempts end
            loop.run_for(2 * timeout);
            release_any();
        }
        stop_keeping();
        loop.run_for(timeout);
        EXPECT_TRUE(attempts_.empty()) << "somebody waits though nobody holds";
        EXPECT_EQ(service.tree().paths(), before) << "something is left";
        EXPECT_EQ(service.watches(), 0u);
        EXPECT_EQ(removals(), 0u);
    }

    int granted = 0;

protected:
    enum class Role { writer, reader, permit }; // one holder; several holders; two holders at once

    virtual Role any_role() { return Role::writer; }
    virtual std::shared_ptr<Operation> operation(Role, Done<std::vector<Lease>> done) {
        return std::make_shared<MutexCore>(view(), "/lock", boot_now_)->attempt(view(), {}, one_of(std::move(done)));
    }

    virtual void stop_keeping() {}

    std::uint64_t number(std::uint64_t below) { return random_() % below; }
    static Done<Lease> one_of(Done<std::vector<Lease>> done) {
        return [done = std::move(done)](error_code ec, Lease lease) {
            std::vector<Lease> leases;
            if (!ec) leases.push_back(std::move(lease));
            done(ec, std::move(leases));
        };
    }
    const BootNow boot_now_ = [this] { return loop.now(); };

private:
    static constexpr int steps = 80;
    static constexpr std::size_t most = 7;

    struct Attempt {
        Role role;
        std::weak_ptr<Operation> operation;
        bool completed = false;
        std::vector<Lease> held;
    };

    std::chrono::nanoseconds up_to(std::chrono::nanoseconds longest) {
        return std::chrono::nanoseconds{static_cast<std::int64_t>(number(static_cast<std::uint64_t>(longest.count()) + 1))};
    }

    void step() {
        switch (number(12)) {
        case 0:
        case 1: service.stall_down(up_to(20ms)); break; // messages arrive together after the stall
        case 2: service.stall_up(up_to(10ms)); break;
        case 3:
        case 4: cancel_any(); break;
        case 5: rare_step(); break;
        case 6:
        case 7: release_any(); break;
        default: wait_too(); break;
        }
    }

    void rare_step() {
        switch (number(60)) {
        case 0: service.cut(false); break;
        case 1: service.cut(true); break;
        case 2: client.next_send = ZSYSTEMERROR; break;
        case 3: service.expire(session().session_id); break;
        case 4: loop.stand_still(up_to(timeout)); break;
        case 5: service.end_beside(session().session_id); break;
        default: break;
        }
    }

    void wait_too() {
        if (attempts_.size() == most) return;
        Attempt& attempt = attempts_.emplace_back();
        attempt.role = any_role();
        const auto started = operation(attempt.role, [this, &attempt](error_code ec, std::vector<Lease> leases) {
            attempt.completed = true;
            if (ec) return;
            attempt.held = std::move(leases);
            ++granted;
            check_exclusion();
        });
        attempt.operation = started;
        started->begin();
    }

    /// Checks exclusion by the nodes that the servers have.
    void check_exclusion() {
        std::size_t writers = 0;
        std::size_t readers = 0;
        std::size_t permits = 0;
        std::string held;
        for (const Attempt& attempt : attempts_) {
            for (const Lease& lease : attempt.held) {
                const std::string path = Access::core(lease)->path();
                if (service.tree().find(path) == nullptr) continue;
                ++(attempt.role == Role::writer ? writers : attempt.role == Role::reader ? readers : permits);
                held += " " + path;
            }
        }
        EXPECT_TRUE(writers == 0 || writers + readers == 1) << "all are held:" << held;
        EXPECT_LE(permits, 2u) << "all are held:" << held;
    }

    void cancel_any() {
        forget_failed();
        const auto waiting = std::find_if(attempts_.rbegin(), attempts_.rend(),
                                          [this](const Attempt& each) { return !each.completed && number(3) == 0; });
        if (waiting == attempts_.rend()) return;
        if (const auto alive = waiting->operation.lock()) alive->abort(asio::error::operation_aborted);
    }

    void release_any() {
        forget_failed();
        const auto holder =
            std::find_if(attempts_.begin(), attempts_.end(), [](const Attempt& each) { return !each.held.empty(); });
        if (holder == attempts_.end()) return;
        for (const Lease& lease : holder->held) Access::core(lease)->release(*this, [](const error_code&) {});
        attempts_.erase(holder);
    }

    void forget_failed() {
        attempts_.remove_if([](const Attempt& each) { return each.completed && each.held.empty(); });
    }

    std::mt19937_64 random_;
    std::list<Attempt> attempts_;
};

class ReadersAndWriters : public Waiters {
public:
    using Waiters::Waiters;

private:
    Role any_role() override { return number(2) == 0 ? Role::reader : Role::writer; }
    std::shared_ptr<Operation> operation(Role role, Done<std::vector<Lease>> done) override {
        const auto lock = make_read_write(view(), "/lock", boot_now_, {});
        if (role == Role::reader) return lock.read->attempt(view(), {}, one_of(std::move(done)));
        return lock.write->attempt(view(), {}, one_of(std::move(done)));
    }
};

class Keepers : public Waiters {
public:
    using Waiters::Waiters;

private:
    std::shared_ptr<Operation> operation(Role, Done<std::vector<Lease>> done) override {
        if (!lock_) {
            const LeaseTerms terms{.keep_for = 1h, .max_local_handovers = 2};
            lock_ = std::make_shared<MutexCore>(view(), "/lock", boot_now_, terms);
        }
        return lock_->attempt(view(), {}, one_of(std::move(done)));
    }
    void stop_keeping() override { lock_.reset(); }

    std::shared_ptr<MutexCore> lock_;
};

class PermitSeekers : public Waiters {
public:
    using Waiters::Waiters;

private:
    Role any_role() override { return Role::permit; }
    std::shared_ptr<Operation> operation(Role, Done<std::vector<Lease>> done) override {
        const SemaphorePlace place{"/lock", fixed_limit(2), {}, boot_now_};
        const auto count = static_cast<std::int32_t>(1 + number(2));
        return std::make_shared<SemaphoreOperation>(view(), place, count, AcquireWait{}, std::move(done));
    }
};

template <typename Kind> class WaitersOnASession : public ::testing::Test {};
using Kinds = ::testing::Types<Waiters, ReadersAndWriters, Keepers, PermitSeekers>;
TYPED_TEST_SUITE(WaitersOnASession, Kinds);

TYPED_TEST(WaitersOnASession, NoLockHasTwoHoldersAndAllWaitersGetIt) {
    const std::uint64_t last = seeds(repetitions<std::uint64_t>(1'000));
    int granted = 0;
    for (std::uint64_t seed = 1; seed <= last; ++seed) {
        TypeParam waiters(seed);
        waiters.run();
        granted += waiters.granted;
        ASSERT_FALSE(this->HasFailure()) << "seed " << seed;
    }
    EXPECT_GT(granted, 0);
}

} // namespace
} // namespace docent::detail
