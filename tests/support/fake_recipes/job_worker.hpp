// SPDX-License-Identifier: Apache-2.0
#pragma once

// Actors that run a job once in a period.

#include "fake_recipes/actor.hpp"
#include "jobs/period_core.hpp"
#include "mutex/mutex_core.hpp"

#include <docent/recipes/lease.hpp>

#include <memory>
#include <string>
#include <utility>

namespace docent::detail {

/// Shared by all workers of one job. The servers' clock stands still in these worlds, so there is one period.
struct JobBook {
    explicit JobBook(std::string at) : lock_path(std::move(at)), record_path(record_path_of(lock_path)) {}

    /// Returns the present record; empty before the first run.
    std::string recorded(const NodeTree& truth) const {
        const TreeNode* node = truth.find(record_path);
        return node ? node->data : "";
    }
    void look(const NodeTree& truth) {
        const std::string now = recorded(truth);
        if (now != seen && !seen.empty()) complaint = "a run counts beside another one: " + seen + ", " + now;
        seen = now;
    }

    const std::string lock_path;
    const std::string record_path;
    std::string seen;
    std::string complaint;
};

/// Takes the job's lock, asks whether the job is due, runs it for a while, and records this. It ends when it finds the job
/// done.
class JobWorker final : public Actor {
public:
    JobWorker(FakeWorld& world, std::size_t client, std::shared_ptr<JobBook> book, double fails)
        : Actor(world, client), book_(std::move(book)), fails_(fails),
          period_(std::make_shared<PeriodCore>(client_, book_->record_path, std::chrono::hours{1})) {}

    bool ready() const override { return state_ == State::idle && !done_; }
    void act() override {
        state_ = State::waiting;
        const auto lock = std::make_shared<MutexCore>(
            client_, book_->lock_path, [view = client_] { return view->boot_now(); }, LeaseTerms{.node_data = name});
        initiate_acquire(lock, AcquireWait{}, CallOptions{}, [this](error_code ec, Lease lease) {
            if (ec) return end(ec);
            lease_ = std::move(lease);
            begin();
        });
    }
    void look() override {
        book_->look(truth());
        if (!book_->complaint.empty()) complain(std::exchange(book_->complaint, {}));
    }
    void calm_down() override { fails_ = 0; }
    bool finished() const override { return done_ && state_ == State::idle; }

private:
    enum class State { idle, waiting, asking, running, saying };

    void begin() {
        state_ = State::asking;
        const bool was_done = !book_->recorded(truth()).empty();
        initiate_begin_job(period_, job_holder(lease_), {}, [this, was_done](error_code ec, JobStart start) {
            if (ec) return end(ec);
            if (!start.due) {
                if (book_->recorded(truth()).empty()) complain("it was told of a run that nobody completed");
                done_ = true;
                ++achieved;
                return end({});
            }
            if (was_done) complain("it was told to run what had been done before it asked");
            state_ = State::running;
            after(random_ms(3000), [this, start = std::move(start)] { chance(fails_) ? end({}) : say(start); });
        });
    }
    void say(const JobStart& start) {
        state_ = State::saying;
        initiate_complete_job(period_, job_holder(lease_), start, {}, [this](error_code ec) {
            const auto record = book_->recorded(truth());
            if (!ec && record.substr(record.find(' ') + 1) != name) complain("its run does not count, but: " + record);
            if (!ec) ++achieved;
            end(ec);
        });
    }
    void end(error_code ec) {
        if (ec) failed.push_back(ec);
        lease_ = {};
        state_ = State::idle;
    }

    const std::shared_ptr<JobBook> book_;
    double fails_; // chance that a run ends without being completed
    const std::shared_ptr<PeriodCore> period_;
    State state_ = State::idle;
    bool done_ = false;
    Lease lease_;
};

} // namespace docent::detail
