// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/while_alive.hpp"
#include "client/core/connected_operation.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace docent::detail {

/// The common part of waits at barriers and latches: looks again after each event, each connect, and each lost reply.
class WatchingOperation : public ConnectedOperation<> {
public:
    WatchingOperation(std::shared_ptr<ClientView> view, Done<> done) : ConnectedOperation(std::move(view), std::move(done)) {}

    void begin() override { start(); }
    void abort(error_code ec) override { end(ec); }
    bool may_have_effects() const override { return false; } // an aborted enter() or leave() removes its node
    bool in_doubt() const override { return false; }

protected:
    virtual void look() = 0;
    /// Whether the event ends the wait without a look.
    virtual bool says_all(const WatchEvent&) const { return false; }
    /// Called once, before the operation completes.
    virtual void on_end(error_code ec) = 0;

    /// Registers for session events and watches, and looks.
    void start() {
        watch_ = zk::make_watch_sink([self = shared_from_this(), this](const WatchEvent& event) {
            if (!is_open() || event.type == WatchEventType::session_lost) return; // the next session looks again
            if (says_all(event)) return end({});
            changed_ = true;
            look_soon();
        });
        listener_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) {
            if (event.state == SessionState::closed) return end(error::closed);
            if (event.state == SessionState::connected) look_soon();
        }));
        look_soon();
    }
    /// A look is answered: waits for an event, unless one has come meanwhile.
    void rest() {
        looking_ = false;
        budget_.reset();
        if (changed_) look_soon();
    }
    /// Returns whether the reply was lost. Then the operation looks again, or has ended.
    bool looks_again_after(const error_code& ec) {
        if (ec == error::not_connected) {
            when_connected([this] { look(); });
            return true;
        }
        if (!is_lost(ec)) return false;
        const auto pause = budget_->next(ec, view_->now(), view_->random());
        pause ? after_pause(*pause, [this] { look(); }) : end(ec);
        return true;
    }
    void end(error_code ec) {
        const auto self = shared_from_this();
        if (!is_open()) return;
        listener_.reset();
        if (std::exchange(watch_, nullptr)) on_end(ec);
        finish(ec);
    }

    zk::WatchSink watch_; // owns this object until it has completed

private:
    void look_soon() {
        if (std::exchange(looking_, true)) return;
        changed_ = false;
        if (!budget_) budget_.emplace(view_->retry_policy(), view_->now());
        when_connected([this] { look(); });
    }

    Registration listener_;
    std::optional<RetryBudget> budget_; // since the last answer
    bool looking_ = false;
    bool changed_ = false; // an event has come since the look began
};

} // namespace docent::detail
