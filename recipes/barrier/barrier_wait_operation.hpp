// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"
#include "client/core/retry_budget.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace docent::detail {

/// Waits until a node is not there, or is another one.
class BarrierWaitOperation final : public ConnectedOperation<> {
public:
    BarrierWaitOperation(std::shared_ptr<ClientView> view, std::string path, Done<> done);

    void begin() override;
    void abort(error_code ec) override { end(ec); }
    error_code timeout_error() const override;

private:
    void look_soon();
    void look();
    void on_seen(const zk::Reply& reply);
    void on_event(const WatchEvent& event);
    void on_session_event(const SessionEvent& event);
    void end(error_code ec);

    const std::string path_;
    zk::WatchSink watch_; // owns us, until it has completed
    Registration listener_;
    std::optional<RetryBudget> budget_; // since it was last answered
    std::int64_t czxid_ = 0;            // of the barrier that it waits for
    bool looking_ = false;
};

} // namespace docent::detail
