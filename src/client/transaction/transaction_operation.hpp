// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"
#include "client/core/parents/parents.hpp"
#include "client/transaction/marker_pool.hpp"
#include "client/transaction/transaction_machine.hpp"
#include "client/transaction/transaction_plan.hpp"

#include <docent/transaction.hpp>

#include <optional>

namespace docent::detail {

/// Carries out what TransactionMachine decides.
class TransactionOperation final : public ConnectedOperation<TransactionResult> {
public:
    TransactionOperation(std::shared_ptr<ClientView> view, Transaction transaction, Done<TransactionResult> done);

    void begin() override;
    void abort(error_code ec) override;
    bool in_doubt() const override { return machine_ && machine_->in_doubt(); }

private:
    void perform(const TransactionAction& action);
    void act(const MakeMarker& action);
    void act(const SendTransaction& action);
    void act(const AskMarker& action);
    void act(const PauseTransaction& action);
    void act(const FinishTransaction& action);
    void on_answer(zk::Reply&& reply);
    error_code guard_fault() const;
    void begin_connected();
    void settle_marker(bool is_certain);
    static bool needs_node(const Transaction& transaction, const std::string& path);
    MarkerPool& markers() const { return view_->kept<MarkerPool>(); }
    error_code plan();
    error_code fill_data();

    Transaction transaction_;
    std::optional<TransactionMarker> marker_; // while this transaction uses it
    TransactionPlan plan_;
    std::optional<TransactionMachine> machine_;
    TransactionResult result_; // for the outcomes `applied`, `recovered` and `not_applied`
};

} // namespace docent::detail
