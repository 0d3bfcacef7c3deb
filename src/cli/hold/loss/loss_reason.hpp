// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/tracing/lease_trace.hpp>
#include <docent/tracing/tracer.hpp>

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

namespace docent::cli {

/// Why what was held is lost, as far as it is known.
enum class LossReason { unknown, node_deleted, no_answer, session_ended };

/// For scripts: `node_deleted` and so on.
std::string_view to_string(LossReason reason) noexcept;

/// For a message, behind "the lock was lost": `: its node was deleted`; empty if it is not known.
std::string loss_text(LossReason reason);

/// Hears why a client's leases are lost, and says what an operator should know.
class LossListener final : public Tracer {
public:
    void on_warning(std::string_view text) override;
    void on_lease(const LeaseTrace& trace) override;

    /// To be asked when a lease is lost: waits for what is on its way here, for a moment.
    LossReason reason() const;
    /// For a message behind the name of what `no_auth` was for: `: the parent /a is missing and cannot be made`; empty if that
    /// is not why.
    std::string obstacle() const;

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable heard_;
    LossReason reason_ = LossReason::unknown;
    std::string obstacle_;
};

} // namespace docent::cli
