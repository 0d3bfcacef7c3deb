// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/loss/loss_reason.hpp"

#include "cli/messages.hpp"

#include <docent/error.hpp>

#include <chrono>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_wait = 100ms;
constexpr auto wait_for_session = 30ms; // whose end deletes nodes, too, which may be heard of first

} // namespace

std::string_view to_string(LossReason reason) noexcept {
    switch (reason) {
    case LossReason::unknown: return "unknown";
    case LossReason::node_deleted: return "node_deleted";
    case LossReason::no_answer: return "no_answer";
    case LossReason::session_ended: return "session_ended";
    }
    return "unknown";
}

std::string loss_text(LossReason reason) {
    switch (reason) {
    case LossReason::unknown: return "";
    case LossReason::node_deleted: return ": its node was deleted";
    case LossReason::no_answer: return ": nothing was heard from a server in time";
    case LossReason::session_ended: return ": its session has ended";
    }
    return "";
}

void LossListener::on_warning(std::string_view text) {
    post_error(text);
}

void LossListener::on_lease(const LeaseTrace& trace) {
    const std::lock_guard lock(mutex_);
    if (trace.event == LeaseEvent::granted) of_lease_ = of_session_ = LossReason::unknown; // what was lost before, held nothing
    if (trace.event != LeaseEvent::lost) return;
    if (of_lease_ == LossReason::unknown)
        of_lease_ = trace.ec == server_error::no_node ? LossReason::node_deleted : LossReason::session_ended;
    heard_.notify_all();
}

/// The first one counts: after a silence the end of the session may be told, too.
void LossListener::on_session_event(const SessionEvent& event) {
    if (event.state != SessionState::lost) return;
    const std::lock_guard lock(mutex_);
    if (of_session_ == LossReason::unknown)
        of_session_ = event.reason == error::not_connected ? LossReason::no_answer : LossReason::session_ended;
    heard_.notify_all();
}

LossReason LossListener::reason() const {
    std::unique_lock lock(mutex_);
    heard_.wait_for(lock, longest_wait, [this] { return of_lease_ != LossReason::unknown; });
    heard_.wait_for(lock, wait_for_session, [this] { return of_session_ != LossReason::unknown; });
    return of_session_ != LossReason::unknown ? of_session_ : of_lease_;
}

} // namespace docent::cli
