// SPDX-License-Identifier: Apache-2.0
#pragma once

// The implementation of Watch and SessionEvents.

#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/events/mailbox.hpp"

#include <memory>
#include <string_view>
#include <utility>

namespace docent::detail {

/// A mailbox of events, with the client that runs its strand.
template <typename Event> class EventSource {
public:
    const std::shared_ptr<ClientView>& view() const { return view_; }
    Mailbox<Event>& mailbox() const { return *mailbox_; }

    /// Waits for the next event. At most one reader may wait at a time.
    void initiate_read(CallOptions call, Handler<Event> handler) const {
        const auto make = [this](const std::shared_ptr<ClientView>&, Done<Event> done) {
            return std::make_shared<MailboxRead<Event>>(mailbox_, std::move(done));
        };
        launch<Event>(view_, {}, std::move(call), std::move(handler), make);
    }
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

// `source` is null for an empty object, and for an object that was moved from.

template <typename Event> void initiate_read(const EventSource<Event>* source, CallOptions call, Handler<Event> handler) {
    if (!source) return complete_empty<Event>(std::move(handler), error::closed);
    source->initiate_read(std::move(call), std::move(handler));
}

template <typename Event> Event block_on_read(const EventSource<Event>* source, CallOptions call, error_code& ec) {
    return block_on<Event>(
        source ? source->view() : nullptr, std::move(call), ec,
        [&](CallOptions options, auto handler) { initiate_read<Event>(source, std::move(options), std::move(handler)); },
        BeforeStart::goes_on); // the first session event is the present state
}

/// The same; throws Error. Its text names the operation and the subject.
template <typename Event>
Event block_on_read(const EventSource<Event>* source, CallOptions call, std::string_view operation, std::string_view subject) {
    error_code ec;
    Event event = block_on_read(source, std::move(call), ec);
    throw_if(ec, operation, subject);
    return event;
}

/// Moves the source of `from` to `to`. Ends a read of the earlier source of `to`.
template <typename SourcePtr> void replace_source(SourcePtr& to, SourcePtr& from) noexcept {
    if (&to == &from) return;
    if (const auto before = std::exchange(to, std::move(from))) before->end_read();
}

} // namespace docent::detail
