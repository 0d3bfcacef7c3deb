// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"
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
    error_code timeout_error() const override;
    bool in_doubt() const override { return in_flight_; }

private:
    void perform(const TransactionAction& action);
    void act(const SendTransaction& action);
    void act(const FindMarker& action);
    void act(const PauseTransaction& action);
    void act(const FinishTransaction& action);
    void on_answer(zk::Reply&& reply);
    bool is_guard_lost() const;
    std::string new_guid() const;
    error_code plan();
    error_code fill_data();

    Transaction transaction_;
    std::string guid_; // of the node that it makes
    TransactionPlan plan_;
    std::optional<TransactionMachine> machine_;
    TransactionResult result_; // for the outcomes `applied`, `recovered` and `not_applied`
    bool in_flight_ = false;
};

} // namespace docent::detail
