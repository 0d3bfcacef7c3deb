// SPDX-License-Identifier: Apache-2.0

#include "client/transaction/transaction_plan.hpp"
#include "base/protection.hpp"
#include "client/transaction/marker_pool.hpp"

#include <docent/path.hpp>
#include <docent/transaction.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace docent {

Transaction& Transaction::create(std::string_view path, std::optional<std::string_view> data, CreateMode mode, Acl acl,
                                 Compression compression) {
    operations_.emplace_back(Create{std::string(path), std::optional<std::string>(data), mode, std::move(acl), compression});
    return *this;
}

Transaction& Transaction::set_data(std::string_view path, std::string_view data, std::int32_t version,
                                   Compression compression) {
    operations_.emplace_back(SetData{std::string(path), std::string(data), version, compression});
    return *this;
}

Transaction& Transaction::remove(std::string_view path, std::int32_t version) {
    operations_.emplace_back(Remove{std::string(path), version});
    return *this;
}

Transaction& Transaction::check(std::string_view path, std::int32_t version) {
    operations_.emplace_back(Check{std::string(path), version});
    return *this;
}

Transaction& Transaction::guard(std::string_view node_path) {
    guards_.push_back({std::string(node_path), nullptr});
    return *this;
}

Transaction& Transaction::exactly_once(std::string_view marker_parent) {
    marker_parent_ = marker_parent;
    return *this;
}

Transaction& Transaction::with_fencing_token() {
    wants_fencing_token_ = true;
    return *this;
}

} // namespace docent

namespace docent::detail {
namespace {

struct ToRequest {
    zk::MultiOperation operator()(const Transaction::Create& o) const {
        return zk::CreateRequest{.path = o.path, .data = o.data.value_or(""), .mode = o.mode, .acl = o.acl};
    }
    zk::MultiOperation operator()(const Transaction::SetData& o) const { return zk::SetRequest{o.path, o.data, o.version}; }
    zk::MultiOperation operator()(const Transaction::Remove& o) const { return zk::RemoveRequest{o.path, o.version}; }
    zk::MultiOperation operator()(const Transaction::Check& o) const { return zk::CheckRequest{o.path, o.version}; }
};

struct ToResult {
    OperationResult operator()(const Transaction::Create& o) const { return {OperationType::create, o.path}; }
    OperationResult operator()(const Transaction::SetData& o) const { return {OperationType::set_data, o.path}; }
    OperationResult operator()(const Transaction::Remove& o) const { return {OperationType::remove, o.path}; }
    OperationResult operator()(const Transaction::Check& o) const { return {OperationType::check, o.path}; }
};

TransactionResult empty_results(const Transaction& transaction) {
    TransactionResult result;
    result.operations.reserve(transaction.operations().size());
    for (const auto& operation : transaction.operations()) result.operations.push_back(std::visit(ToResult{}, operation));
    return result;
}

zk::CreateRequest ephemeral(const std::string& path) {
    return {.path = path, .mode = CreateMode::ephemeral};
}

/// The parent of the first node that the transaction creates; the root if it creates none. The node for the zxid is made there.
std::string parent_of_first_create(const Transaction& transaction) {
    for (const auto& operation : transaction.operations()) {
        if (const auto* create = std::get_if<Transaction::Create>(&operation)) return std::string(parent_path(create->path));
    }
    return "/";
}

/// All operations of a transaction have its zxid, but only the answer to a set contains it.
std::int64_t zxid_of(const zk::Reply& reply) {
    const auto set = std::find_if(reply.results.begin(), reply.results.end(),
                                  [](const zk::MultiResult& result) { return result.stat.has_value(); });
    return set == reply.results.end() ? 0 : set->stat->mzxid;
}

} // namespace

TransactionPlan plan_transaction(const Transaction& transaction, const std::string& guid) {
    TransactionPlan plan;
    auto& all = plan.request.operations;
    plan.guards = transaction.guards().size();
    plan.count = transaction.operations().size();
    all.reserve(plan.guards + plan.count + 3); // 3: for the marker, or for the zxid
    for (const auto& guard : transaction.guards()) all.emplace_back(zk::CheckRequest{guard.node_path, -1});
    if (transaction.marker_parent()) {
        plan.has_marker = true;
        all.emplace_back(zk::SetRequest{});
    }
    plan.first = all.size();
    for (const auto& operation : transaction.operations()) all.push_back(std::visit(ToRequest{}, operation));
    const bool sets = std::any_of(all.begin(), all.end(), [](const zk::MultiOperation& operation) {
        return std::holds_alternative<zk::SetRequest>(operation);
    });
    if (transaction.wants_fencing_token() && !sets) {
        const std::string zxid_node = join_path(parent_of_first_create(transaction), protection_prefix(guid) + "zxid");
        all.emplace_back(ephemeral(zxid_node));
        all.emplace_back(zk::SetRequest{zxid_node, {}, -1});
        all.emplace_back(zk::RemoveRequest{zxid_node, -1});
    }
    return plan;
}

TransactionResult committed(const Transaction& transaction, const TransactionPlan& plan, const zk::Reply& reply) {
    TransactionResult result = empty_results(transaction);
    result.fencing_token = zxid_of(reply);
    for (std::size_t i = 0; i < plan.count; ++i) {
        const zk::MultiResult& from = reply.results.at(plan.first + i);
        result.operations[i].result_path = from.path;
        result.operations[i].stat = from.stat;
    }
    return result;
}

TransactionResult recovered(const Transaction& transaction, std::int64_t zxid) {
    TransactionResult result = empty_results(transaction);
    result.recovered = true;
    result.fencing_token = zxid;
    for (std::size_t i = 0; i < result.operations.size(); ++i) {
        const auto* create = std::get_if<Transaction::Create>(&transaction.operations()[i]);
        if (create != nullptr && !is_sequential(create->mode)) result.operations[i].result_path = create->path;
    }
    return result;
}

TransactionResult nothing_applied(const Transaction& transaction) {
    TransactionResult result = empty_results(transaction);
    for (OperationResult& operation : result.operations) operation.ec = error::not_applied;
    return result;
}

Rejection rejected(const Transaction& transaction, const TransactionPlan& plan, const zk::Reply& reply) {
    Rejection rejection{reply.ec, false, nothing_applied(transaction)};
    // The server fills the results before the failed operation with "OK" and those after it with "runtime inconsistency".
    const auto failed = std::find_if(reply.results.begin(), reply.results.end(), [](const zk::MultiResult& result) {
        return result.ec && result.ec != server_error::runtime_inconsistency;
    });
    if (failed == reply.results.end()) return rejection;
    const auto index = static_cast<std::size_t>(failed - reply.results.begin());
    if (index < plan.guards) {
        rejection.ec = failed->ec == server_error::no_node ? make_error_code(error::lease_lost) : failed->ec;
    } else if (index >= plan.first && index < plan.first + plan.count) {
        rejection.ec = failed->ec;
        rejection.result.failed_operation = index - plan.first;
        rejection.result.operations[index - plan.first].ec = failed->ec;
    } else {
        rejection.ec = failed->ec;
        rejection.marker_gone = plan.has_marker && WriteMarker::is_gone(failed->ec);
    }
    return rejection;
}

} // namespace docent::detail
