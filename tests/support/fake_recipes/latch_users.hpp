// SPDX-License-Identifier: Apache-2.0
#pragma once

// Actors that count a latch down, and actors that wait for it.

#include "barrier/count_down_core.hpp"
#include "fake_recipes/actor.hpp"
#include "shared/number_bytes.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace docent::detail {

/// Shared by all users of one latch. The number of the latch has each successful count once. Besides, it may have only counts
/// that are under way or in doubt.
struct LatchBook {
    explicit LatchBook(std::string at, std::int64_t number) : path(std::move(at)), count(number) {}

    std::int64_t counted(const NodeTree& truth) const {
        error_code ec;
        const TreeNode* node = truth.find(path);
        return node ? decode_number(node->data, ec) : 0;
    }
    void look(const NodeTree& truth) {
        if (looked_at == truth.zxid()) return;
        looked_at = truth.zxid();
        const auto now = counted(truth);
        if (now < last) complaint = "it was counted backwards, to " + std::to_string(now);
        last = now;
        if (now > succeeded + under_way + in_doubt) complaint = "something was counted twice";
        is_down = is_down || now >= count;
    }

    const std::string path;
    const std::int64_t count;
    std::int64_t looked_at = -1;
    std::int64_t last = 0;
    std::int64_t succeeded = 0; // successful counts of our clients, and counts of others
    std::int64_t under_way = 0;
    std::int64_t in_doubt = 0;
    bool is_down = false;
    std::string complaint;
};

class LatchUser : public Actor {
public:
    LatchUser(FakeWorld& world, std::size_t client, std::shared_ptr<LatchBook> book)
        : Actor(world, client), book_(std::move(book)) {}

    void look() override {
        book_->look(truth());
        if (!book_->complaint.empty()) complain(std::exchange(book_->complaint, {}));
    }

protected:
    std::shared_ptr<CountDownCore> make_core() const {
        auto counter = std::make_shared<AtomicCore>(
            client_, book_->path, AtomicOptions{.retry = RetryPolicy::n_times(40, std::chrono::milliseconds{1})},
            [view = client_] { return view->boot_now(); });
        return std::make_shared<CountDownCore>(std::move(counter), book_->count);
    }

    const std::shared_ptr<LatchBook> book_;
};

/// Counts down `turns` times. In the end, it counts until the latch is down.
class LatchCounter final : public LatchUser {
public:
    LatchCounter(FakeWorld& world, std::size_t client, std::shared_ptr<LatchBook> book, int turns, double hurries)
        : LatchUser(world, client, std::move(book)), turns_(turns), hurries_(hurries) {}

    bool ready() const override { return !busy_ && (turns_ > 0 || (calm_ && (core_ || !book_->is_down))); }
    void act() override {
        if (turns_ <= 0 && book_->is_down) return core_.reset();
        if (!core_ || chance(0.2)) core_ = make_core();
        --turns_;
        busy_ = true;
        const auto times = static_cast<std::int64_t>(1 + world_.surroundings().below(2));
        book_->under_way += times;
        CallOptions call;
        if (!calm_ && chance(hurries_)) call.timeout = random_ms(300);
        initiate_count_down(core_, times, std::move(call), once<>([this, times](error_code ec) { on_done(times, ec); }));
    }
    void calm_down() override { calm_ = true; }
    bool finished() const override { return calm_ && !busy_ && !core_ && turns_ <= 0 && book_->is_down; }

private:
    void on_done(std::int64_t times, error_code ec) {
        busy_ = false;
        book_->under_way -= times;
        if (ec == condition::outcome_unknown) book_->in_doubt += times;
        if (ec) return;
        book_->succeeded += times;
        ++achieved;
        if (book_->counted(truth()) < book_->succeeded) complain("what has succeeded is not there");
    }

    int turns_;
    const double hurries_;
    bool busy_ = false;
    bool calm_ = false;
    std::shared_ptr<CountDownCore> core_;
};

/// Adds to the latch's number as a Java client does, which reads and writes before any other client acts.
class LatchNeighbour final : public LatchUser {
public:
    LatchNeighbour(FakeWorld& world, std::size_t client, std::shared_ptr<LatchBook> book, int turns)
        : LatchUser(world, client, std::move(book)), turns_(turns) {}

    bool ready() const override { return turns_ > 0 && truth().find(book_->path) != nullptr; }
    void act() override {
        --turns_;
        ++book_->succeeded;
        ensemble().change_node(book_->path, encode_number(book_->counted(truth()) + 1));
    }
    void calm_down() override { turns_ = 0; }
    bool finished() const override { return turns_ == 0; }

private:
    int turns_;
};

/// Waits again and again. A wait must not end before the latch is down, and must end at once when it is down.
class LatchWaiter final : public LatchUser {
public:
    LatchWaiter(FakeWorld& world, std::size_t client, std::shared_ptr<LatchBook> book, int turns)
        : LatchUser(world, client, std::move(book)), turns_(turns) {}

    bool ready() const override { return !waiting_ && turns_ > 0; }
    void act() override {
        --turns_;
        if (!core_) core_ = make_core();
        waiting_ = true;
        CallOptions call;
        if (chance(0.3)) call.timeout = random_ms(2000);
        tell(name + " waits");
        initiate_count_wait(core_, std::move(call), once<>([this](error_code ec) {
                                tell(name + (ec ? " waits no longer: " + ec.message() : " goes on"));
                                waiting_ = false;
                                if (!ec) ++achieved;
                                if (!ec && !book_->is_down) complain("it went on before the latch was down");
                            }));
    }
    void calm_down() override { turns_ = std::max(turns_, 1); }
    bool finished() const override { return !waiting_ && turns_ == 0; }

private:
    int turns_;
    bool waiting_ = false;
    std::shared_ptr<CountDownCore> core_;
};

} // namespace docent::detail
