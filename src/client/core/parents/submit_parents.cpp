// SPDX-License-Identifier: Apache-2.0
#include "client/core/parents/submit_parents.hpp"

#include "zk/parents.hpp"

#include <docent/path.hpp>
#include <docent/tracing/tracer.hpp>

#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

namespace docent::detail {
namespace {

/// The parents that the client's tracer was warned about. Each is reported once.
struct ToldParents {
    static constexpr std::size_t most = 100;
    std::set<std::string> paths;
};

void tell_of(ClientView& view, const ParentAnswers::Refusal& refusal) {
    const auto& tracer = view.config().tracer;
    auto& told = view.kept<ToldParents>().paths;
    if (!tracer || told.size() == ToldParents::most || !told.insert(refusal.path).second) return;
    view.call_user([tracer, text = "the parent " + refusal.path + " is missing and cannot be made: " + refusal.ec.message()] {
        tracer->on_warning(text);
    });
}

} // namespace

SharedParentAnswers submit_parents(ClientView& view, const std::string& node, Parents kind, const Acl& acl) {
    auto answers = std::make_shared<ParentAnswers>();
    view.submit_prefix(answers);
    // The prefix's nodes are always created. The caller has asked not to create parents below the prefix.
    if (kind == Parents::fail) return parent_path(node) == "/" ? answers : nullptr;
    for (zk::Request& request : zk::requests_for_parents(node, kind)) {
        std::get<zk::CreateRequest>(request).acl = acl;
        submit_parent(view, std::move(request), answers);
    }
    return answers;
}

SharedParentAnswers submit_parents(ClientView& view, const std::string& node) {
    return submit_parents(view, node, view.config().own_parents);
}

void submit_parent(ClientView& view, zk::Request request, const SharedParentAnswers& answers) {
    const std::size_t number = answers->add(view.server_path(zk::path_of(request)));
    view.submit(std::move(request), [answers, number](const zk::Reply& reply) { answers->on_answer(number, reply.ec); });
}

error_code error_of_create(ClientView& view, const error_code& ec, const SharedParentAnswers& answers) {
    if (ec != server_error::no_node || !answers) return ec;
    const auto refusal = answers->refusal();
    if (!refusal) return ec;
    tell_of(view, *refusal);
    return refusal->ec;
}

} // namespace docent::detail
