// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a server answers to a request, by the tree that it knows: the same rules for all fakes. tests/integration/conformance
// holds them to those of a real one.

#include "fake_tree.hpp"
#include "zk/request.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace docent::detail {

/// By what a child of this node is numbered.
using FakeNumber = std::function<std::int32_t(const FakeNode& parent)>;

/// Its next number, however many there were.
std::int32_t next_number(const FakeNode& parent);

/// Since 3.8.4 and 3.9.2, `exists` needs READ as other reads do (ZOOKEEPER-2590).
enum class ExistsNeeds { nothing, read };

/// What a read finds.
zk::Reply read(const FakeTree& tree, const zk::Request& request, ExistsNeeds exists_needs = ExistsNeeds::read);

/// Whether the server watches after it has answered a read like that. It does for what is not there yet if that was asked for.
bool leaves_watch(const zk::Request& request, const error_code& ec);

struct FakeWritten {
    zk::Reply reply;
    std::vector<FakeTxn> txns = {}; // one transaction; all of them or none
    std::vector<FakeChange> changes = {};
};

/// Decides about a write, and changes the leader's tree by it.
FakeWritten write(FakeTree& tree, std::int64_t session, const zk::Request& request, const FakeNumber& number = next_number);

} // namespace docent::detail
