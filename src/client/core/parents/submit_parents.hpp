// SPDX-License-Identifier: Apache-2.0
#pragma once

// Creates missing parents, and knows when this cannot help.

#include "client/core/client_view.hpp"
#include "client/core/parents/parent_answers.hpp"

#include <docent/acl.hpp>

#include <memory>
#include <string>

namespace docent::detail {

using SharedParentAnswers = std::shared_ptr<ParentAnswers>;

/// Sends the creates of all ancestors of `node`, with the prefixes of the client, from the top. Send the node's own create
/// right after this. With Parents::fail, creates the nodes of the prefixes only, and returns null if the node's parent is not
/// one of them.
SharedParentAnswers submit_parents(ClientView& view, const std::string& node, Parents kind, const Acl& acl = {});
/// The same with `ClientConfig::own_parents` and the default ACL.
SharedParentAnswers submit_parents(ClientView& view, const std::string& node);

/// Sends the create of one ancestor.
void submit_parent(ClientView& view, zk::Request request, const SharedParentAnswers& answers);

/// The error of the node's create. If the create found no parent, and the parent may not be created, this is the reason for
/// that, because `no_node` would mislead and another try would fail. The client's tracer is told the parent's path. `answers`:
/// null if no parents were created.
error_code error_of_create(ClientView& view, const error_code& ec, const SharedParentAnswers& answers);

} // namespace docent::detail
