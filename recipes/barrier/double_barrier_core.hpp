// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "barrier/double_barrier_rules.hpp"
#include "barrier/watching_operation.hpp"
#include "client/core/client_view.hpp"

#include <docent/path.hpp>
#include <docent/recipes/barrier/distributed_double_barrier.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::detail {

/// A member of a double barrier. Only view() and path() may be called off the strand.
class DoubleBarrierCore {
public:
    enum class Stage { outside, entering, inside, leaving };

    DoubleBarrierCore(std::shared_ptr<ClientView> view, std::string path, std::size_t wanted)
        : view_(std::move(view)), path_(std::move(path)), wanted_(wanted) {}
    /// A member that is inside leaves without waiting, at the latest when its session ends.
    ~DoubleBarrierCore() {
        if (stage != Stage::inside) return;
        try {
            view_->post([view = view_, own = own_path] { view->remove_in_background({own}, nullptr); });
        } catch (...) { // no memory
        }
    }
    DoubleBarrierCore(const DoubleBarrierCore&) = delete;
    DoubleBarrierCore& operator=(const DoubleBarrierCore&) = delete;

    const std::shared_ptr<ClientView>& view() const { return view_; }
    const std::string& path() const { return path_; }
    std::size_t wanted() const { return wanted_; }

    Stage stage = Stage::outside;
    std::string own_path;        // the member's node, while it is inside
    std::uint64_t own_epoch = 0; // of the node's session

private:
    const std::shared_ptr<ClientView> view_;
    const std::string path_;
    const std::size_t wanted_;
};

/// The common part of entering and leaving a double barrier.
class PassageOperation : public WatchingOperation {
public:
    PassageOperation(std::shared_ptr<ClientView> view, std::shared_ptr<DoubleBarrierCore> core, Done<> done)
        : WatchingOperation(std::move(view), std::move(done)), core_(std::move(core)) {}

protected:
    /// Begins, if the member is at the stage `from`.
    void pass(DoubleBarrierCore::Stage from, DoubleBarrierCore::Stage to) {
        if (core_->stage != from) return finish(server_error::invalid_state);
        core_->stage = to;
        start();
    }
    std::string path_of(std::string_view name) const { return join_path(core_->path(), name); }

    const std::shared_ptr<DoubleBarrierCore> core_;
};

/// Creates a member's node and waits until enough members are there. Begins again in a new session.
class EnterOperation final : public PassageOperation {
public:
    using PassageOperation::PassageOperation;

    void begin() override { pass(DoubleBarrierCore::Stage::outside, DoubleBarrierCore::Stage::entering); }

private:
    struct Seen {
        EnteringView view;
        std::vector<std::string> others;
        std::int32_t ready_version = 0;
        error_code failure;
    };
    using SeenPtr = std::shared_ptr<Seen>;

    void look() override;
    void on_end(error_code ec) override;
    void make_own();
    void on_made(error_code ec);
    void look_around();
    void decide(const SeenPtr& seen);
    void act(const SeenPtr& seen, OwnNodeGone step);
    void act(const SeenPtr& seen, GoIn step);
    void act(const SeenPtr& seen, MakeReady step);
    void act(const SeenPtr& seen, LookAtOthers step);
    void act(const SeenPtr& seen, RemoveStaleReady step);
    void act(const SeenPtr& seen, AwaitReady step);
    void look_after(const error_code& ec);

    std::string own_path_; // empty before the first try
    std::uint64_t epoch_ = 0;
    bool made_ = false;
    std::int64_t own_czxid_ = 0;     // from the reply to the create
    bool ready_was_missing_ = false; // while the member's node existed
    int rounds_ = 0;                 // of creating parents
};

/// Removes a member's node and waits until all members that were inside have left.
class LeaveOperation final : public PassageOperation {
public:
    using PassageOperation::PassageOperation;

    void begin() override { pass(DoubleBarrierCore::Stage::inside, DoubleBarrierCore::Stage::leaving); }
    /// The member leaves, also if the call is cancelled before it begins.
    void abort(error_code ec) override {
        if (is_open() && !watch_ && core_->stage == DoubleBarrierCore::Stage::inside) on_end(ec);
        end(ec);
    }

private:
    void look() override;
    void on_end(error_code ec) override;
    void on_listed(const zk::Reply& reply);
    void decide(LeavingView seen);
    void act(const RemoveOwn& step);
    void act(const RemoveOwnAndReady& step);
    void act(const AwaitRemoval& step);
    void act(const LookForReady& step);
    void act(const AllHaveLeft& step);
    void on_removed(const error_code& ec);
    void forget_awaited();

    std::set<std::string> inside_; // the members inside when the call began
    bool listed_ = false;
    bool own_is_there_ = true;
    bool removing_ = false; // this call has removed the member's node; otherwise another client did
    bool lost_ = false;
    bool ready_may_be_there_ = true;
    bool looked_for_ready_ = false;
    std::string awaited_;
};

} // namespace docent::detail
