// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"

#include <deque>
#include <memory>
#include <optional>
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

} // namespace docent::detail
