// SPDX-License-Identifier: Apache-2.0
#include "client/transaction/transaction_operation.hpp"

#include "client/data/data_codec.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace docent::detail {

TransactionOperation::TransactionOperation(std::shared_ptr<ClientView> view, Transaction transaction,
                                           Done<TransactionResult> done)
    : ConnectedOperation(std::move(view), std::move(done)), transaction_(std::move(transaction)) {}

void TransactionOperation::begin() {
    if (const error_code ec = guard_fault()) return finish(ec, nothing_applied(transaction_)); // also without a connection
    when_connected([this] { begin_connected(); });
}

void TransactionOperation::begin_connected() {
    if (const error_code ec = plan()) return finish(ec, std::move(result_));
    auto marker = TransactionMachine::Marker::none;
    if (plan_.has_marker) {
        marker_ = markers().take(*view_, *transaction_.marker_parent());
        marker = marker_->made() ? TransactionMachine::Marker::made : TransactionMachine::Marker::missing;
    }
    machine_.emplace(marker, RetryBudget(view_->retry_policy(), view_->now()));
    perform(machine_->start(view_->session().epoch));
}

/// Finds a lease that is certainly not held, so that the transaction is not sent. The server checks the others.
error_code TransactionOperation::guard_fault() const {
    for (const auto& guard : transaction_.guards()) {
        if (const error_code ec = guard.check ? guard.check() : error_code()) return ec;
    }
    return {};
}

error_code TransactionOperation::plan() {
    // A GUID is made only if needed, because random numbers cost a system call.
    plan_ = plan_transaction(transaction_, transaction_.wants_fencing_token() ? view_->new_guid() : std::string());
    return fill_data();
}

/// Fills in default data and compresses. A failed compression is the error of its operation.
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
    if (!is_open()) return;
    const bool unknown = in_doubt();
    settle_marker(!unknown);
    if (unknown) return finish(ec, TransactionResult{});
    const error_code fault = ec == error::not_connected ? guard_fault() : error_code(); // then another try is useless
    finish(fault ? fault : ec, nothing_applied(transaction_));
}

/// Whether the transaction fails without a node at `path`. Such a node is not made as the parent of a marker: it would be a
/// container, and the servers would remove it with the data that the transaction writes to it.
bool TransactionOperation::needs_node(const Transaction& transaction, const std::string& path) {
    return std::any_of(transaction.operations().begin(), transaction.operations().end(), [&](const auto& operation) {
        return std::visit([&](const auto& each) { return each.path == path; }, operation) &&
               !std::holds_alternative<Transaction::Create>(operation);
    });
}

/// Returns the marker to the pool. If its last write is not certain, removes it: then a transaction that is still under way
/// cannot be applied any more.
void TransactionOperation::settle_marker(bool is_certain) {
    if (!marker_) return;
    if (is_certain && marker_->made()) markers().give_back(*view_, std::move(*marker_));
    else MarkerPool::remove(*view_, *marker_);
    marker_.reset();
}

void TransactionOperation::perform(const TransactionAction& action) {
    std::visit([this](const auto& a) { act(a); }, action);
}

void TransactionOperation::act(const MakeMarker& action) {
    if (action.another) {
        const bool is_of_this_session = marker_->epoch == view_->session().epoch; // otherwise it has ended with its session
        if (is_of_this_session) settle_marker(false);
        marker_ = markers().take(*view_, *transaction_.marker_parent());
        if (marker_->made()) return perform(machine_->on_marker_made({}, view_->now(), view_->random()));
    }
    if (action.with_parents && needs_node(transaction_, *transaction_.marker_parent())) {
        settle_marker(false);
        return finish(server_error::no_node, nothing_applied(transaction_));
    }
    const auto parents = action.with_parents ? submit_parents(*view_, marker_->path()) : nullptr;
    marker_->asked_for = true;
    ask(marker_->make(), [this, parents](const zk::Reply& reply) {
        const error_code ec = error_of_create(*view_, reply.ec, parents);
        marker_->on_made(ec);
        perform(machine_->on_marker_made(ec, view_->now(), view_->random()));
    });
}

void TransactionOperation::act(const SendTransaction&) {
    if (const error_code ec = guard_fault()) {
        settle_marker(true);
        return finish(ec, nothing_applied(transaction_));
    }
    auto& operations = plan_.request.operations;
    if (operations.empty()) { // sent before
        if (const error_code ec = plan()) {
            settle_marker(true);
            return finish(ec, std::move(result_));
        }
    }
    if (plan_.has_marker) operations.at(plan_.guards) = marker_->next();
    sent_ = true;
    ask(std::exchange(plan_.request, {}), [this](zk::Reply&& reply) { on_answer(std::move(reply)); });
}

void TransactionOperation::on_answer(zk::Reply&& reply) {
    bool marker_gone = false;
    if (!reply.ec) {
        if (marker_) marker_->on_applied();
        result_ = committed(transaction_, plan_, reply);
    } else if (!is_lost(reply.ec)) {
        Rejection rejection = rejected(transaction_, plan_, reply);
        reply.ec = rejection.ec;
        if (reply.ec == error::lease_lost) { // the lease's node is missing: the holder may have released it
            if (const error_code fault = guard_fault()) reply.ec = fault;
        }
        marker_gone = rejection.marker_gone;
        result_ = std::move(rejection.result);
    }
    perform(machine_->on_answer(reply.ec, marker_gone, view_->now(), view_->random()));
}

void TransactionOperation::act(const AskMarker&) {
    const auto fenced = std::make_shared<error_code>();
    view_->submit(marker_->fence(), [fenced](const zk::Reply& reply) { *fenced = reply.ec; });
    ask(zk::GetRequest{marker_->path()}, [this, fenced](const zk::Reply& reply) {
        const auto answer = marker_->on_read(reply, *fenced);
        if (answer.finding == WriteMarker::Finding::applied) result_ = recovered(transaction_, reply.stat.mzxid);
        perform(machine_->on_marker_asked(answer, view_->now(), view_->random()));
    });
}

void TransactionOperation::act(const PauseTransaction& action) {
    after_pause(action.length, [this] { perform(machine_->on_connected(view_->session().epoch)); });
}

void TransactionOperation::act(const FinishTransaction& action) {
    const bool applied = action.outcome == Outcome::applied || action.outcome == Outcome::recovered;
    settle_marker(action.outcome != Outcome::unknown);
    if (action.outcome == Outcome::unknown) return finish(action.ec, TransactionResult{});
    if (!applied && result_.operations.empty()) result_ = nothing_applied(transaction_); // no server has said anything
    finish(action.ec, std::move(result_));
}

} // namespace docent::detail
