// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connection_wait.hpp"
#include "client/core/operation.hpp"
#include "client/transaction/transaction_machine.hpp"
#include "client/transaction/transaction_plan.hpp"

#include <docent/transaction.hpp>

#include <optional>

namespace docent::detail {

/// Carries out what TransactionMachine decides.
class TransactionOperation final : public Operation {
public:
    TransactionOperation(std::shared_ptr<ClientView> view, Transaction transaction, Done<TransactionResult> done);

    void begin() override;
    void abort(error_code ec) override;
    error_code timeout_error() const override;
    bool may_have_effects() const override { return sent_; }

private:
    void perform(const TransactionAction& action);
    void act(const SendTransaction& action);
    void act(const FindMarker& action);
    void act(const PauseTransaction& action);
    void act(const FinishTransaction& action);
    void on_answer(zk::Reply reply);
    error_code fill_data();
    void when_connected(std::function<void()> then);
    void finish(error_code ec, TransactionResult result);

    std::shared_ptr<ClientView> view_;
    Transaction transaction_;
    Done<TransactionResult> done_;
    ConnectionWait wait_;
    TransactionPlan plan_;
    std::optional<TransactionMachine> machine_;
    TransactionResult result_; // for the outcomes `applied`, `recovered` and `not_applied`
    bool sent_ = false;
    bool in_flight_ = false;
};

} // namespace docent::detail
