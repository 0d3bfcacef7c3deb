// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

#include <docent/transaction.hpp>

#include <cstddef>
#include <string>

namespace docent::detail {

/// A transaction as it goes over the wire: guards first, then the marker, then what the user asked for, then what learns the
/// zxid, if nothing else does.
struct TransactionPlan {
    zk::MultiRequest request;
    std::size_t guards = 0;  // hidden checks in front
    std::size_t first = 0;   // where the user's operations begin
    std::size_t count = 0;   // how many there are
    bool has_marker = false; // behind the guards
};

/// `guid` names the node that learns the zxid, if one is needed. What is written to the marker is filled in when it is sent.
TransactionPlan plan_transaction(const Transaction& transaction, const std::string& guid);

/// The results of the user's operations of a committed transaction.
TransactionResult committed(const Transaction& transaction, const TransactionPlan& plan, const zk::Reply& reply);

/// What is known when the marker has told instead of the reply; `zxid` is that of the marker's last write.
TransactionResult recovered(const Transaction& transaction, std::int64_t zxid);

/// Why a transaction was rejected: its error (`lease_lost` when a guard failed), and no result that looks like a success.
struct Rejection {
    error_code ec;
    bool marker_gone = false; // that was the only reason
    TransactionResult result = {};
};
Rejection rejected(const Transaction& transaction, const TransactionPlan& plan, const zk::Reply& reply);

/// A result in which nothing was applied.
TransactionResult nothing_applied(const Transaction& transaction);

} // namespace docent::detail
