// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"
#include "lease/lease_core.hpp"
#include "queue/acquire_machine.hpp"
#include "queue/path_waiters.hpp"

#include <docent/detail/deadline.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace docent::detail {

/// The timers of a driver: the end of a pause, and the client's connection timeout without a session.
class StepTimers {
public:
    void pause(ClientView& view, std::chrono::milliseconds length, std::function<void()> then) {
        pause_ = view.call_after(length, std::move(then));
    }
    void end_pause() { pause_.reset(); }
    /// Calls `give_up` if there is no session in time. The time begins with the first such call since the last connection.
    void await_session(ClientView& view, std::function<void()> give_up) {
        if (!session_) session_ = view.call_after(view.connection_timeout(), std::move(give_up));
    }
    void on_session(const SessionEvent& event) {
        if (event.state == SessionState::connected) session_.reset();
    }
    void reset() {
        session_.reset();
        pause_.reset();
    }

private:
    Registration session_;
    Registration pause_;
};

/// A queue, and the kind of the waiter's node.
struct QueuePlace {
    std::string path; // of the queue
    QueueNames names;
    QueueToken token; // of the waiter's node
    Deletion last_writer = Deletion::admits;
    LeaseTerms terms = {};
    mutable bool told_of_others = false; // the warning was given; on the client's strand
};

/// A place that many attempts share, so that it is in memory once.
struct SharedPlace : std::shared_ptr<const QueuePlace> {
    SharedPlace(QueuePlace place) : shared_ptr(std::make_shared<const QueuePlace>(std::move(place))) {} // implicit on purpose
};

/// The clock, GUIDs and random numbers for a machine of this client.
class ClientSources final : public AcquireSources {
public:
    /// Both must outlive this object.
    ClientSources(ClientView& view, const BootNow& boot_now) : view_(&view), boot_now_(&boot_now) {}
    std::string guid() override { return view_->new_marked_guid(); }
    std::uint64_t random() override { return view_->random(); }
    std::chrono::steady_clock::time_point now() override { return view_->now(); }
    bool certain(std::uint64_t epoch) override;

private:
    ClientView* view_;
    const BootNow* boot_now_;
};

/// Carries out the actions of an AcquireMachine. Runs on the client's strand. Owns itself from start() until it completes,
/// exactly once.
class AcquireDriver final : public std::enable_shared_from_this<AcquireDriver>, public PathWaiters::Member {
public:
    /// On an error there is no node.
    using Completion = std::function<void(error_code, GrantedNode)>;

    /// `wait_mode`: replaces the wait_mode that follows from `wait`.
    AcquireDriver(std::shared_ptr<ClientView> view, SharedPlace place, AcquireWait wait, Completion completion,
                  BootNow boot_now = &session::BootClock::now, std::optional<WaitMode> wait_mode = std::nullopt);

    const BootNow& boot_now() const noexcept { return boot_now_; }

    void start();
    /// The call's time is over, or the caller has cancelled.
    void end(error_code ec);

private:
    void perform(const AcquireActions& actions);
    void perform(const Enter& action);
    void perform(const FindOwn& action);
    void perform(const List& action);
    void perform(const Look& action) { perform(machine_.on_looked(path_waiters_->before(action.name))); }
    void perform(const WatchOwn& action);
    void perform(const WatchAhead& action);
    void perform(const Pause& action);
    void perform(const AwaitSession& action);
    void perform(const Grant& action);
    void perform(const Fail& action);
    void perform(const Remove& action) { view_->remove_in_background({path_of(action.name)}); }
    void perform(const RemoveProtected& action) { view_->remove_in_background({place_.path, action.guid}); }
    void perform(const ForgetGuid& action) { view_->on_guid_gone(place_.path, action.guid); }

    bool goes_by_number() const;
    bool may_know_enough(const Enter& action) const;
    void tell_of_others(const std::vector<std::string>& children);
    void learn(error_code ec, const std::vector<std::string>& children, std::string_view self);
    std::string path_of(std::string_view name) const;
    void on_session(const SessionEvent& event) override;
    std::weak_ptr<Member> weak_member() override { return std::shared_ptr<Member>(shared_from_this(), this); }
    void complete(error_code ec, GrantedNode granted = {});

    std::shared_ptr<ClientView> view_;
    const SharedPlace shared_place_;
    const QueuePlace& place_; // *shared_place_
    AcquireWait wait_;
    Completion completion_;
    const BootNow boot_now_;
    ClientSources sources_;
    AcquireMachine machine_;
    std::shared_ptr<AcquireDriver> self_;       // until completion
    std::shared_ptr<PathWaiters> path_waiters_; // this object is a member from start() until completion

    std::uint64_t step_ = 0;  // counts steps, so that replies to earlier steps are ignored
    zk::WatchSink own_watch_; // the reply to a read counts only while its sink is here
    zk::WatchSink ahead_watch_;
    Registration deadline_;
    StepTimers timers_;
};

} // namespace docent::detail
