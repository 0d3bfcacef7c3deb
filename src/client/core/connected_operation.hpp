// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time_over.hpp"
#include "client/core/client_view.hpp"
#include "client/core/operation.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace docent::detail {

/// The wait of an operation between its attempts: for a connection, or for the end of a pause. One wait at a time. Destroying
/// the object, or starting another wait, cancels the wait silently.
class ConnectionWait {
public:
    using Then = std::function<void(error_code)>;
    /// The longest wait for a connection: the client's connection timeout, or no limit.
    enum class Limit { connection_timeout, none };

    explicit ConnectionWait(ClientView& view) : view_(view) {}

    /// Calls `then` when connected, at once if connected now. Calls it with `error::not_connected` after the limit, and with
    /// `error::closed`, `server_error::auth_failed` or `error::tls_failed` if waiting is useless.
    void until_connected(Then then, Limit limit = Limit::connection_timeout);

    /// Calls `then` after `length`, or with `error::closed` if the client is closed before.
    void pause(std::chrono::milliseconds length, Then then);

    void cancel();

private:
    enum class For { connection, pause };
    void listen(Then then, For what);

    ClientView& view_;
    For what_ = For::connection; // valid during a wait
    Registration listener_;
    Registration timer_;
};

/// The retries that a call has left. All steps of a call share one budget, because nested retries would multiply (CURATOR-559).
class RetryBudget {
public:
    RetryBudget(const RetryPolicy& policy, steady_clock::time_point started) : policy_(policy), started_(started) {}

    /// Whether a try in the session of this epoch would leave the first try's session, and the policy forbids that.
    bool leaves_session(std::uint64_t epoch) {
        if (!epoch_) epoch_ = epoch;
        return !policy_.retries_ended_session() && *epoch_ != epoch;
    }

    /// The pause before another try after `ec`; nothing if there must be none.
    std::optional<std::chrono::milliseconds> next(error_code ec, steady_clock::time_point now, std::uint64_t random) {
        if (ec == server_error::session_expired && !policy_.retries_ended_session()) return std::nullopt;
        const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - started_);
        return policy_.pause_before(used_++, elapsed, random);
    }

private:
    RetryPolicy policy_;
    steady_clock::time_point started_;
    int used_ = 0;
    std::optional<std::uint64_t> epoch_; // of the first try's session
};

struct SyncedHandlers {
    zk::ReplyHandler sync;
    zk::ReplyHandler read;
};

/// The handlers of a sync and a read in one round trip. If the sync failed but the read was answered (an overloaded server
/// refuses single requests), the read fails with the sync's error: a server that lags behind may show old data.
inline SyncedHandlers synced(zk::ReplyHandler on_read) {
    const auto failure = std::make_shared<error_code>();
    return {[failure](const zk::Reply& reply) { *failure = reply.ec; },
            [failure, on_read = std::move(on_read)](zk::Reply&& reply) {
                on_read(*failure ? zk::Reply{.ec = *failure} : std::move(reply));
            }};
}

/// A call whose steps need a connection: waits for it, sends requests, pauses, and completes once. Later answers are ignored.
template <typename... Results> class ConnectedOperation : public Operation {
public:
    void abort(error_code ec) override { finish(ec, Results{}...); }
    Awaited awaited() const override { return in_doubt() || changes_under_way_ > 0 ? Awaited::effect : Awaited::answer; }
    bool may_have_effects() const override { return sent_; }
    /// Whether a request of this call may have been applied although its reply did not arrive.
    virtual bool in_doubt() const { return sent_; }

protected:
    ConnectedOperation(std::shared_ptr<ClientView> view, Done<Results...> done)
        : view_(std::move(view)), done_(std::move(done)), wait_(*view_) {}

    /// Calls `next` when connected. Aborts the call without a connection in time, or when the client is closed.
    void when_connected(std::function<void()> next, ConnectionWait::Limit limit = ConnectionWait::Limit::connection_timeout) {
        const auto then = [this, next = std::move(next)](error_code ec) {
            if (ec == error::not_connected) ec = time_is_over(this->awaited(), false);
            ec ? this->abort(ec) : next();
        };
        wait_.until_connected(while_open(then), limit);
    }
    /// The same after a pause.
    void after_pause(std::chrono::milliseconds length, std::function<void()> next) {
        wait_.pause(length,
                    while_open([this, next = std::move(next)](error_code ec) { ec ? this->abort(ec) : when_connected(next); }));
    }
    /// Sends one request, once.
    void ask(zk::Request request, zk::ReplyHandler on_reply) {
        view_->submit(std::move(request), while_open(std::move(on_reply)));
    }
    /// Sends one request, once, whose effect others may see. Until its answer arrives, it may have been applied.
    void ask_for_change(zk::Request request, zk::ReplyHandler on_reply) {
        sent_ = true;
        ++changes_under_way_;
        ask(std::move(request), [this, on_reply = std::move(on_reply)](zk::Reply&& reply) {
            --changes_under_way_;
            on_reply(std::move(reply));
        });
    }
    /// Sends a read after a sync.
    void ask_synced(zk::Request request, zk::ReplyHandler on_reply) {
        auto handlers = synced(std::move(on_reply));
        view_->submit(zk::SyncRequest{zk::path_of(request)}, std::move(handlers.sync));
        ask(std::move(request), std::move(handlers.read));
    }

    bool is_open() const { return done_ != nullptr; }
    void finish(error_code ec, Results... results) {
        wait_.cancel();
        if (done_) std::exchange(done_, nullptr)(ec, std::move(results)...);
    }

    const std::shared_ptr<ClientView> view_;
    bool sent_ = false; // a request with an effect that others may see

private:
    auto while_open(auto function) {
        return [self = shared_from_this(), this, function = std::move(function)](auto outcome) {
            if (is_open()) function(std::move(outcome));
        };
    }

    Done<Results...> done_;
    ConnectionWait wait_;
    int changes_under_way_ = 0; // sent by ask_for_change(), not answered yet
};

} // namespace docent::detail
