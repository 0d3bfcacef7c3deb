// SPDX-License-Identifier: Apache-2.0

#include "cli/hold/loss.hpp"
#include "cli/arguments/values.hpp"
#include "cli/messages.hpp"
#include "posix/event_fd.hpp"
#include "posix/spawn.hpp"

#include <docent/error.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_wait_for_obstacle = 100ms; // the warning comes before the error

LossReason reason_of(error_code ec) {
    if (ec == server_error::no_node) return LossReason::node_deleted;
    return ec == error::not_connected ? LossReason::no_answer : LossReason::session_ended;
}

/// The variables for the first lost lease. Their names differ from those of CMD, because docent ends processes that have the
/// variables of CMD.
std::vector<std::string> variables_of_loss(const HoldRequest& request, const HeldLeases& held, LossReason reason) {
    std::size_t lost = 0;
    while (lost + 1 < held.leases.size() && held.leases[lost]->state() != LeaseState::lost) ++lost;
    const Lease& lease = *held.leases.at(lost);
    const bool is_first = lost == 0 || request.more_paths.empty(); // a semaphore has several leases at one path
    return {"DOCENT_LOST_PATH=" + (is_first ? request.path : request.more_paths.at(lost - 1)),
            "DOCENT_LOST_NODE=" + lease.node_path(), "DOCENT_LOST_TOKEN=" + std::to_string(lease.fencing_token()),
            "DOCENT_LOST_REASON=" + words_of(reason).for_scripts,
            "DOCENT_LOCK_NODE"}; // removed: it names the lock of an outer docent, which would end this command
}

} // namespace

LossWords words_of(LossReason reason) {
    switch (reason) {
    case LossReason::node_deleted: return {"node_deleted", ": its node was deleted"};
    case LossReason::no_answer: return {"no_answer", ": nothing was heard from a server in time"};
    case LossReason::session_ended: return {"session_ended", ": its session has ended"};
    case LossReason::unknown: break;
    }
    return {"unknown", ""};
}

/// Keeps the warning about a parent that cannot be made, and does not print it. The missing parent ends the attempt, and the
/// message about the failed attempt includes the warning: see obstacle().
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

LossReason LossListener::reason(std::chrono::milliseconds longest) const {
    std::unique_lock lock(mutex_);
    heard_.wait_for(lock, longest, [this] { return reason_ != LossReason::unknown; });
    return reason_;
}

void LossCommand::start(const HeldLeases& held) {
    const HoldRequest& request = hold_.request;
    if (!request.on_lost || std::exchange(started_, true)) return;
    try {
        const posix::ProgramImage shell({"/bin/sh", "-c", *request.on_lost},
                                        variables_of_loss(request, held, hold_.losses.reason()));
        const auto spawned = posix::spawn_detached(shell, {.output = STDERR_FILENO});
        process_ = spawned.pid;
        if (spawned.error != 0) post_error(std::string("cannot run --on-lost: ") + std::strerror(spawned.error));
    } catch (const std::system_error& error) {
        post_error(std::string("cannot run --on-lost: ") + error.what());
    }
}

/// waitpid() fails after the end of the process if docent was started with SIGCHLD ignored.
void LossCommand::await_end(Signals& signals, std::chrono::milliseconds longest) const {
    if (process_ == 0) return;
    const auto deadline = std::chrono::steady_clock::now() + longest;
    while (::waitpid(process_, nullptr, WNOHANG) == 0 && !signals.next_to_end()) {
        if (std::chrono::steady_clock::now() >= deadline) {
            return hold_.report("the command of --on-lost still runs; not waiting after " + to_text(longest));
        }
        posix::wait_readable({signals.fd()}, 20ms);
    }
}

} // namespace docent::cli
