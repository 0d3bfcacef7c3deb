// SPDX-License-Identifier: Apache-2.0
#pragma once

// The answers of a server to requests, by the tree that it knows. The servers in memory and all fakes of docent's tests have
// these rules. tests/integration/conformance compares them with a real server's.

#include "testing/memory/tree.hpp"
#include "zk/request.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace docent::detail {

/// Returns the sequence number of the parent's next child.
using TreeNumber = std::function<std::int32_t(const TreeNode& parent)>;

/// Returns the parent's count of created children.
std::int32_t next_number(const TreeNode& parent);

/// The client that sends a request, and what the server allows it.
struct Caller {
    std::int64_t session = 0;
    std::vector<Identity> identities = {};
    std::int64_t time = 0; // of the server's clock, in milliseconds
    /// Whether the server checks paths, ACLs and TTLs. Otherwise the client has done so, and an empty ACL is an open one.
    bool checked = false;
    bool extended_types = true; // whether nodes may have a TTL
};

/// Since 3.8.4 and 3.9.2, `exists` needs READ as other reads do (ZOOKEEPER-2590).
enum class ExistsNeeds { nothing, read };

/// Answers a read.
zk::Reply read(const NodeTree& tree, const zk::Request& request, ExistsNeeds exists_needs = ExistsNeeds::read,
               const std::vector<Identity>& identities = {});

/// Returns true if the server has a watch after a read with this result: the read asked for a watch, and it succeeded or
/// is an `exists` that found no node.
bool leaves_watch(const zk::Request& request, const error_code& ec);

struct TreeWritten {
    zk::Reply reply;
    std::vector<TreeTxn> txns = {}; // one transaction: all or none
    std::vector<TreeChange> changes = {};
};

/// Decides about a write, and applies it to the leader's tree.
TreeWritten write(NodeTree& tree, const Caller& caller, const zk::Request& request, const TreeNumber& number = next_number);

/// Gives an open ACL to a request without one, as a client with the default configuration does.
zk::Request with_open_acls(zk::Request request);

} // namespace docent::detail
