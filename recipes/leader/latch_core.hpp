// SPDX-License-Identifier: Apache-2.0
#pragma once

// A participant of an election: enters the queue, leads, and enters again, until it is closed.

#include "base/listeners.hpp"
#include "client/core/operation.hpp"
#include "leader/candidate.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

/// Members are called on the strand unless they say otherwise.
class LatchCore final : public Candidate {
public:
    using Listener = std::function<void(const LeadershipEvent&)>;
    using Waiter = std::function<void(error_code, Leadership)>;

    /// `terms`: contain the id as the node's data.
    LatchCore(std::shared_ptr<ClientView> view, std::string path, LatchOptions options, LeaseTerms terms,
              BootNow boot_now = &session::BootClock::now);

    /// Calls `waiter` when the latch leads (at once if it leads now) or cannot enter. Dropping the registration cancels this.
    Registration when_leading(Waiter waiter);
    Registration listen(Listener listener);

    /// Both call `done` when the server has confirmed the end of the lead, or when the connection broke. `through`: this
    /// client, in the view of the call.
    void resign(ClientView& through, std::function<void()> done);
    void close(LatchClose how, ClientView& through, std::function<void()> done);

private:
    void on_started() override { enter(); }
    void on_granted(GrantedNode node) override;
    void on_hindered(error_code ec) override;
    void on_client_closed() override;
    void on_over(error_code ec);
    void give_up(ClientView& through, std::function<void()> done);
    bool forget_kept();

    const WhenLost when_lost_;
    std::shared_ptr<LeaseCore> lease_; // of the leadership
    Leadership kept_;                  // the lead of lease_, if it is lost and its node stays
    Registration over_;
    Listeners<error_code, Leadership> waiting_;
    Listeners<const LeadershipEvent&> listeners_;
};

/// A call that resigns or closes. Once begun, it goes on, also if the call is cancelled.
class GiveUpOperation final : public Operation {
public:
    using Work = std::function<void(ClientView& through, std::function<void()> done)>;

    /// `always`: do the work also if the call ends before it begins.
    GiveUpOperation(std::shared_ptr<ClientView> view, Work work, bool always, Done<> done)
        : view_(std::move(view)), work_(std::move(work)), always_(always), done_(std::move(done)) {}

    void begin() override { run(); }
    void abort(error_code ec) override {
        auto done = std::exchange(done_, nullptr);
        if (always_) run();
        if (done) done(ec);
    }
    bool may_have_effects() const override { return always_ || !work_; }

private:
    void run() {
        if (!work_) return;
        std::exchange(work_, nullptr)(*view_, [self = shared_from_this(), this] {
            if (done_) std::exchange(done_, nullptr)({});
        });
    }

    std::shared_ptr<ClientView> view_;
    Work work_;
    bool always_;
    Done<> done_;
};

} // namespace docent::detail
