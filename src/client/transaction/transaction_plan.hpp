// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

#include <docent/transaction.hpp>

#include <cstddef>
#include <string>

namespace docent::detail {

/// A transaction as it is sent: first the guards, then the marker, then the user's operations. If the zxid is wanted and none
/// of these operations returns it, three operations follow that return it.
struct TransactionPlan {
    zk::MultiRequest request;
    std::size_t guards = 0;  // hidden checks at the front
    std::size_t first = 0;   // index of the first operation of the user
    std::size_t count = 0;   // number of the user's operations
    bool has_marker = false; // the marker's operation follows the guards
};

/// `guid` names the node that returns the zxid, if one is needed. The marker's data is filled in when the request is sent.
TransactionPlan plan_transaction(const Transaction& transaction, const std::string& guid);

/// The results of the user's operations of a committed transaction.
TransactionResult committed(const Transaction& transaction, const TransactionPlan& plan, const zk::Reply& reply);

/// The result if the marker has shown, instead of the reply, that the transaction was applied. `zxid` is the zxid of the
/// marker's last write.
TransactionResult recovered(const Transaction& transaction, std::int64_t zxid);

/// The reason of a rejection: its error (`lease_lost` if a guard's node is missing), and no result that looks like a success.
struct Rejection {
    error_code ec;
    bool marker_gone = false; // a missing marker was the only reason
    TransactionResult result = {};
};
Rejection rejected(const Transaction& transaction, const TransactionPlan& plan, const zk::Reply& reply);

/// The result of a transaction that was not applied.
TransactionResult nothing_applied(const Transaction& transaction);

} // namespace docent::detail
