// SPDX-License-Identifier: Apache-2.0
#pragma once

// How missing parents are made, for whatever create finds none: the one place that knows when that is of no use.

#include "client/core/client_view.hpp"
#include "client/core/parents/parent_answers.hpp"

#include <docent/acl.hpp>

#include <memory>
#include <string>

namespace docent::detail {

using SharedParentAnswers = std::shared_ptr<ParentAnswers>;

/// Sends the creates of all proper ancestors of `node`, the prefixes of the client included, from the top. The node's own
/// create is to follow at once. With Parents::fail,
/// those of the prefixes only; null if the node's own parent is none of them.
SharedParentAnswers submit_parents(ClientView& view, const std::string& node, Parents kind, const Acl& acl = {});
/// As the client makes its own parents.
SharedParentAnswers submit_parents(ClientView& view, const std::string& node);

/// Sends the create of one more ancestor.
void submit_parent(ClientView& view, zk::Request request, const SharedParentAnswers& answers);

/// What the node's create failed with. If it found no parent, and the parent may not be made: why that is, for `no_node` would
/// mislead, and another try would be in vain. The client's tracer is told which parent it is. `answers`: null if no parents
/// were to be made.
error_code error_of_create(ClientView& view, const error_code& ec, const SharedParentAnswers& answers);

} // namespace docent::detail
