// SPDX-License-Identifier: Apache-2.0
#pragma once

// The implementation of Watch and SessionEvents: events that wait in a mailbox for a reader.

#include "client/core/operation.hpp"

#include <docent/client.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace docent::detail {

/// A queue of items for one reader at a time. Used on the client's strand.
template <typename T> class Mailbox : public std::enable_shared_from_this<Mailbox<T>> {
public:
    void push(T item) {
        if (waiter_) return std::exchange(waiter_, nullptr)({}, std::move(item));
        items_.push_back(std::move(item));
    }

    /// Adds the last item. From then on, each read returns it.
    void push_last(T item) {
        if (last_) return;
        last_ = item;
        if (waiter_) std::exchange(waiter_, nullptr)({}, std::move(item));
    }

    /// Items in the queue can still be read. Then every read fails with `ec`.
    void close(error_code ec) {
        end_ = ec;
        if (waiter_) std::exchange(waiter_, nullptr)(end_, T{});
    }

    /// Ends only the present wait.
    void cancel(error_code ec) {
        if (waiter_) std::exchange(waiter_, nullptr)(ec, T{});
    }

    void read(Done<T> done) {
        if (!items_.empty()) {
            T item = std::move(items_.front());
            items_.pop_front();
            return done({}, std::move(item));
        }
        if (last_) return done({}, T(*last_));
        if (end_) return done(end_, T{});
        cancel(asio::error::operation_aborted);
        waiter_ = std::move(done);
    }

private:
    std::deque<T> items_;
    std::optional<T> last_;
    error_code end_;
    Done<T> waiter_;
};

/// One read of a mailbox.
template <typename T> class MailboxRead final : public Operation {
public:
    MailboxRead(std::shared_ptr<Mailbox<T>> mailbox, Done<T> done) : mailbox_(std::move(mailbox)), done_(std::move(done)) {}

    void begin() override {
        mailbox_->read([self = shared_from_this(), this](error_code ec, T item) { finish(ec, std::move(item)); });
    }
    void abort(error_code ec) override {
        if (done_) mailbox_->cancel(ec);
        finish(ec, T{}); // if the read had not begun
    }
    Awaited awaited() const override { return Awaited::news; }

private:
    void finish(error_code ec, T item) {
        if (done_) std::exchange(done_, nullptr)(ec, std::move(item));
    }

    std::shared_ptr<Mailbox<T>> mailbox_;
    Done<T> done_;
};

/// A mailbox of events, with the client that runs its strand.
template <typename Event> class EventSource {
public:
    const std::shared_ptr<ClientView>& view() const { return view_; }
    const std::shared_ptr<Mailbox<Event>>& mailbox() const { return mailbox_; }

    /// The reader is destroyed. From any thread.
    void end_read() const noexcept {
        try {
            view_->post([mailbox = mailbox_] { mailbox->cancel(asio::error::operation_aborted); });
        } catch (...) {
            // Without memory, the wait continues until its event or its end.
        }
    }

protected:
    explicit EventSource(std::shared_ptr<ClientView> view)
        : view_(std::move(view)), mailbox_(std::make_shared<Mailbox<Event>>()) {}
    ~EventSource() = default;

private:
    const std::shared_ptr<ClientView> view_;
    const std::shared_ptr<Mailbox<Event>> mailbox_;
};

/// The implementation of SessionEvents.
class SessionEventQueue : public EventSource<SessionEvent>, public std::enable_shared_from_this<SessionEventQueue> {
public:
    explicit SessionEventQueue(ClientViewPtr view) : EventSource(std::move(view)) {}

    /// Adds the present state and registers for further events. On the strand.
    void open();

private:
    void push(const SessionEvent& event);

    Registration listener_;
};

/// The implementation of Watch: the source of its one event.
class WatchState : public EventSource<WatchEvent>, public std::enable_shared_from_this<WatchState> {
public:
    WatchState(ClientViewPtr view, std::string path, zk::WatchKind kind)
        : EventSource(std::move(view)), path_(std::move(path)), kind_(kind) {}

    /// The watch is not wanted any more, so the server need not keep it.
    ~WatchState();
    WatchState(const WatchState&) = delete;
    WatchState& operator=(const WatchState&) = delete;

    /// Makes the sink. Call it once, before the request is made. From any thread.
    zk::WatchSink open();

private:
    std::string path_; // without prefixes, as the user knows it
    const zk::WatchKind kind_;
    zk::WatchSink sink_;
    Registration close_listener_; // used on the strand
};

} // namespace docent::detail
