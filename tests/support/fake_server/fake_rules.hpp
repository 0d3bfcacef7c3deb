// SPDX-License-Identifier: Apache-2.0
#pragma once

// The answers of a server to requests, by the tree that it knows. All fakes have these rules. tests/integration/conformance
// compares them with a real server's.

#include "fake_tree.hpp"
#include "zk/request.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace docent::detail {

/// Returns the number of a node's next child.
using FakeNumber = std::function<std::int32_t(const FakeNode& parent)>;

/// Returns the parent's count of created children.
std::int32_t next_number(const FakeNode& parent);

/// Since 3.8.4 and 3.9.2, `exists` needs READ as other reads do (ZOOKEEPER-2590).
enum class ExistsNeeds { nothing, read };

/// Answers a read.
zk::Reply read(const FakeTree& tree, const zk::Request& request, ExistsNeeds exists_needs = ExistsNeeds::read);

/// Returns true if the server watches the node after this result of a read. For a node that does not exist, this depends on the
/// read.
bool leaves_watch(const zk::Request& request, const error_code& ec);

struct FakeWritten {
    zk::Reply reply;
    std::vector<FakeTxn> txns = {}; // one transaction: all or none
    std::vector<FakeChange> changes = {};
};

/// Decides about a write, and applies it to the leader's tree.
FakeWritten write(FakeTree& tree, std::int64_t session, const zk::Request& request, const FakeNumber& number = next_number);

/// Gives an open ACL to a request without one, as a client with the default configuration does.
zk::Request with_open_acls(zk::Request request);

} // namespace docent::detail
