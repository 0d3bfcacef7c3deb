// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/operations/request_operation.hpp"
#include "client/operations/sequence_operation.hpp"

#include <docent/recipes/once_per_period.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace docent::detail {

/// A job's record and period.
class PeriodCore {
public:
    PeriodCore(std::shared_ptr<ClientView> view, std::string record_path, std::chrono::milliseconds period)
        : view_(std::move(view)), record_path_(std::move(record_path)), period_(period) {}

    const std::shared_ptr<ClientView>& view() const { return view_; }
    const std::string& record_path() const { return record_path_; }
    std::chrono::milliseconds period() const { return period_; }

private:
    std::shared_ptr<ClientView> view_;
    std::string record_path_;
    std::chrono::milliseconds period_;
};

/// Reads the record and writes it back unchanged. The time of this write is the servers' present time. The write succeeds only
/// if no other client has written in between and the lease is still held.
class BeginJobOperation final : public SequenceOperation<JobStart> {
public:
    BeginJobOperation(std::shared_ptr<ClientView> view, std::shared_ptr<PeriodCore> core, JobHolder holder,
                      Done<JobStart> done);

private:
    std::shared_ptr<Operation> first() override;
    void read_again();
    void on_read(error_code ec, const zk::Reply& reply);
    void create();
    void touch(const std::string& data, std::int32_t version);
    void on_touched(error_code ec, const TransactionResult& result);

    std::shared_ptr<ClientView> view_;
    std::shared_ptr<PeriodCore> core_;
    JobHolder holder_;
    JobStart start_;
    std::shared_ptr<RequestOperation> reading_;
    std::optional<RetryBudget> budget_; // of the call
    int rounds_ = 0;
};

} // namespace docent::detail
