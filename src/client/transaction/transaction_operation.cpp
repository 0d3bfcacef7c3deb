// SPDX-License-Identifier: Apache-2.0
#include "client/transaction/transaction_operation.hpp"
#include "zk/parents.hpp"

#include "client/data/data_codec.hpp"

#include <algorithm>
#include <utility>

namespace docent::detail {

TransactionOperation::TransactionOperation(std::shared_ptr<ClientView> view, Transaction transaction,
                                           Done<TransactionResult> done)
    : ConnectedOperation(std::move(view), std::move(done)), transaction_(std::move(transaction)) {}

void TransactionOperation::begin() {
    if (is_guard_lost()) return finish(error::lease_lost, nothing_applied(transaction_)); // also without a connection
    when_connected([this] {
        guid_ = new_guid();
        if (const error_code ec = plan()) return finish(ec, std::move(result_));
        machine_.emplace(!plan_.marker.empty(), RetryBudget(view_->retry_policy(), view_->now()));
        perform(machine_->start(view_->session().epoch));
    });
}

/// What is lost for certain is not sent; what is not, the server judges.
bool TransactionOperation::is_guard_lost() const {
    const auto& guards = transaction_.guards();
    return std::any_of(guards.begin(), guards.end(), [](const auto& guard) { return guard.held && !guard.held(); });
}

/// Most transactions make no node of their own, and the kernel is not asked for chance in vain.
std::string TransactionOperation::new_guid() const {
    if (transaction_.marker_parent()) return view_->new_marked_guid();
    return transaction_.wants_fencing_token() ? view_->new_guid() : std::string();
}

error_code TransactionOperation::plan() {
    plan_ = plan_transaction(transaction_, guid_);
    return fill_data();
}

/// Default data and compression. What cannot be compressed is the failure of its operation.
error_code TransactionOperation::fill_data() {
    const auto& operations = transaction_.operations();
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const std::string* path = nullptr;
        std::string* data = nullptr;
        auto compression = Compression::none;
        if (const auto* create = std::get_if<Transaction::Create>(&operations[i])) {
            data = &std::get<zk::CreateRequest>(plan_.request.operations[plan_.first + i]).data;
            path = &create->path;
            compression = create->compression;
            if (!create->data) *data = *view_->config().default_data;
        } else if (const auto* set = std::get_if<Transaction::SetData>(&operations[i])) {
            data = &std::get<zk::SetRequest>(plan_.request.operations[plan_.first + i]).data;
            path = &set->path;
            compression = set->compression;
        }
        if (data == nullptr) continue;
        if (const error_code ec = encode_data(view_->config(), *path, compression, *data)) {
            result_ = nothing_applied(transaction_);
            result_.failed_operation = i;
            result_.operations[i].ec = ec;
            return ec;
        }
    }
    return {};
}

void TransactionOperation::abort(error_code ec) {
    // It may be applied at this moment, or have been: then the marker must go.
    if (is_open() && in_flight_ && !plan_.marker.empty()) view_->remove_in_background({plan_.marker});
    if (in_flight_) return finish(ec, TransactionResult{});
    const bool is_over = ec == error::not_connected && is_guard_lost(); // and nobody need try it again
    finish(is_over ? error::lease_lost : ec, nothing_applied(transaction_));
}

error_code TransactionOperation::timeout_error() const {
    return in_flight_ ? make_error_code(server_error::operation_timeout) : make_error_code(error::not_connected);
}

void TransactionOperation::perform(const TransactionAction& action) {
    std::visit([this](const auto& a) { act(a); }, action);
}

void TransactionOperation::act(const SendTransaction& action) {
    if (is_guard_lost()) return finish(error::lease_lost, nothing_applied(transaction_));
    if (action.make_marker_parent) {
        for (zk::Request& parent : zk::requests_for_parents(plan_.marker, view_->config().own_parents)) {
            view_->submit(std::move(parent), [](const auto&) {});
        }
    }
    if (plan_.request.operations.empty()) { // sent before
        if (const error_code ec = plan()) return finish(ec, std::move(result_));
    }
    in_flight_ = true;
    sent_ = true;
    ask(std::exchange(plan_.request, {}), [this](zk::Reply&& reply) { on_answer(std::move(reply)); });
}

void TransactionOperation::on_answer(zk::Reply&& reply) {
    if (reply.ec == error::not_connected) in_flight_ = false;
    bool marker_parent_missing = false;
    if (!reply.ec) {
        result_ = committed(transaction_, plan_, reply);
    } else if (!is_lost(reply.ec)) {
        Rejection rejection = rejected(transaction_, plan_, reply);
        reply.ec = rejection.ec;
        marker_parent_missing = rejection.marker_parent_missing;
        result_ = std::move(rejection.result);
    }
    perform(machine_->on_answer(reply.ec, marker_parent_missing, view_->now(), view_->random()));
}

void TransactionOperation::act(const FindMarker&) {
    ask_synced(zk::ExistsRequest{plan_.marker}, [this](const zk::Reply& reply) {
        if (!reply.ec) result_ = recovered(transaction_, reply.stat.czxid);
        perform(machine_->on_marker(reply.ec, view_->now(), view_->random()));
    });
}

void TransactionOperation::act(const PauseTransaction& action) {
    after_pause(action.length, [this] { perform(machine_->on_connected(view_->session().epoch)); });
}

void TransactionOperation::act(const FinishTransaction& action) {
    const bool applied = action.outcome == Outcome::applied || action.outcome == Outcome::recovered;
    if (!plan_.marker.empty() && (applied || action.outcome == Outcome::unknown)) {
        view_->remove_in_background({plan_.marker});
    }
    if (action.outcome == Outcome::unknown) return finish(action.ec, TransactionResult{});
    if (!applied && result_.operations.empty()) result_ = nothing_applied(transaction_); // no server has said anything
    finish(action.ec, std::move(result_));
}

} // namespace docent::detail
