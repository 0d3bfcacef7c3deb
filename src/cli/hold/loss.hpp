// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/hold/hold.hpp"
#include "cli/signals.hpp"

#include <docent/tracing/lease_trace.hpp>
#include <docent/tracing/tracer.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace docent::cli {

/// Why a lease was lost, if known.
enum class LossReason { unknown, node_deleted, no_answer, session_ended };

struct LossWords {
    std::string for_scripts;  // `node_deleted` and so on
    std::string for_messages; // after "the lock was lost": `: its node was deleted`; empty if not known
};
LossWords words_of(LossReason reason);

/// A tracer that remembers why a client's leases were lost, and prints warnings for operators.
class LossListener final : public Tracer {
public:
    void on_warning(std::string_view text) override;
    void on_lease(const LeaseTrace& trace) override;

    /// It takes a round trip or a reconnect to find out why a node was deleted, because its session may have ended. On a slow
    /// network or a busy machine this may take seconds.
    static constexpr std::chrono::milliseconds longest_wait{10'000};

    /// The reason of a loss. Waits for it if it is not known yet.
    LossReason reason(std::chrono::milliseconds longest = longest_wait) const;
    /// The cause of `no_auth` for a message: `: the parent /a is missing and cannot be made`; empty if there is another cause.
    std::string obstacle() const;

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable heard_;
    LossReason reason_ = LossReason::unknown;
    std::string obstacle_;
};

/// `--on-lost`: the shell command to run after a loss.
class LossCommand {
public:
    explicit LossCommand(const Hold& hold) : hold_(hold) {}

    /// Starts the command once, if there is one. Call this only after the end of the program and its descendants: until then,
    /// docent ends all its own descendants. Reports a failure to start.
    void start(const HeldLeases& held);

    /// How long docent waits for the command. The help and the pages name this time.
    static constexpr std::chrono::milliseconds longest_run{10'000};

    /// Waits for the end of the command. Call this last, when the lock is released: in a container or a systemd service,
    /// docent's own end kills the command. A signal that asks docent to end, and comes after the end of the program, ends the
    /// wait. So does `longest`, with a report. The command may outlive docent.
    void await_end(Signals& signals, std::chrono::milliseconds longest = longest_run) const;

private:
    const Hold& hold_;
    bool started_ = false;
    pid_t process_ = 0; // 0: there is none
};

} // namespace docent::cli
