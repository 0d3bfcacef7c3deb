// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/hold/hold.hpp"

#include <docent/tracing/lease_trace.hpp>
#include <docent/tracing/tracer.hpp>

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

namespace docent::cli {

/// Why a lease was lost, if known.
enum class LossReason { unknown, node_deleted, no_answer, session_ended };

/// The reason for scripts: `node_deleted` and so on.
std::string_view to_string(LossReason reason) noexcept;

/// The reason for a message, after "the lock was lost": `: its node was deleted`; empty if not known.
std::string loss_text(LossReason reason);

/// A tracer that remembers why a client's leases were lost, and prints warnings for operators.
class LossListener final : public Tracer {
public:
    void on_warning(std::string_view text) override;
    void on_lease(const LeaseTrace& trace) override;

    /// The reason of a loss. Waits a moment for it.
    LossReason reason() const;
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
    LossCommand(const Hold& hold, const HeldLeases& held) : hold_(hold), held_(held) {}

    /// Starts the command once, if there is one. It may outlive docent. Call this only after the end of the program and its
    /// descendants: until then, docent ends all its own descendants. Reports a failure to start.
    void start();

private:
    const Hold& hold_;
    const HeldLeases& held_;
    bool started_ = false;
};

} // namespace docent::cli
