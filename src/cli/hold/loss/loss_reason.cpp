// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/loss/loss_reason.hpp"

#include "cli/messages.hpp"

#include <docent/error.hpp>

#include <chrono>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

// To find out why a node was deleted takes a round trip or a reconnect: its session may have ended.
constexpr auto longest_wait = 1s;
constexpr auto longest_wait_for_obstacle = 100ms; // the warning comes before the error

LossReason reason_of(error_code ec) {
    if (ec == server_error::no_node) return LossReason::node_deleted;
    return ec == error::not_connected ? LossReason::no_answer : LossReason::session_ended;
}

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

/// Keeps the warning about a parent that cannot be made. It ends the attempt, and one message reports both.
void LossListener::on_warning(std::string_view text) {
    const std::string refused = ": " + make_error_code(server_error::no_auth).message();
    if (!text.starts_with("the parent ") || !text.ends_with(refused)) return post_error(text);
    text.remove_suffix(refused.size());
    const std::lock_guard lock(mutex_);
    obstacle_ = ": " + std::string(text);
    heard_.notify_all();
}

std::string LossListener::obstacle() const {
    std::unique_lock lock(mutex_);
    heard_.wait_for(lock, longest_wait_for_obstacle, [this] { return !obstacle_.empty(); });
    return obstacle_;
}

void LossListener::on_lease(const LeaseTrace& trace) {
    const std::lock_guard lock(mutex_);
    if (trace.event == LeaseEvent::granted) reason_ = LossReason::unknown; // earlier losses do not matter
    if (trace.event != LeaseEvent::lost || reason_ != LossReason::unknown) return;
    reason_ = reason_of(trace.ec);
    heard_.notify_all();
}

LossReason LossListener::reason() const {
    std::unique_lock lock(mutex_);
    heard_.wait_for(lock, longest_wait, [this] { return reason_ != LossReason::unknown; });
    return reason_;
}

} // namespace docent::cli
