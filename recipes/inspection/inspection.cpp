// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/inspection.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/operations/sequence_operation.hpp"
#include "inspection/inspect_operation.hpp"
#include "names/node_name.hpp"

#include <docent/client.hpp>
#include <docent/path.hpp>

#include <iterator>
#include <utility>

namespace docent {
namespace detail {

const std::shared_ptr<ClientView>& view_of(Client& client) {
    return Access::view(client);
}

void initiate_inspect(const std::shared_ptr<ClientView>& view, std::string path, InspectOptions options, CallOptions call,
                      Handler<Inspection> handler) {
    const auto make = [&](const std::shared_ptr<ClientView>& observed, Done<Inspection> done) -> std::shared_ptr<Operation> {
        try {
            auto others = make_other_names(std::move(options.others), path);
            return std::make_shared<InspectOperation>(observed, path, std::move(others), std::move(done));
        } catch (const Error& refused) {
            return std::make_shared<Refusal>([done = std::move(done), ec = refused.code()] { done(ec, {}); });
        }
    };
    launch<Inspection>(view, {"inspect", path}, std::move(call), std::move(handler), make);
}

} // namespace detail

std::string_view to_string(RecipeKind kind) noexcept {
    switch (kind) {
    case RecipeKind::mutex: return "mutex";
    case RecipeKind::read_write_lock: return "read_write_lock";
    case RecipeKind::semaphore: return "semaphore";
    case RecipeKind::leader_latch: return "leader_latch";
    }
    return "unknown";
}

std::string_view to_string(ParticipantKind kind) noexcept {
    switch (kind) {
    case ParticipantKind::lock: return "lock";
    case ParticipantKind::read: return "read";
    case ParticipantKind::write: return "write";
    case ParticipantKind::lease: return "lease";
    case ParticipantKind::latch: return "latch";
    }
    return "unknown";
}

Inspection inspect_names(std::string_view path, const RecipeChildren& names, InspectOptions options) {
    const std::string at(path);
    Inspection result;
    const auto add = [&](detail::Classified found, const std::string& below) {
        std::move(found.participants.begin(), found.participants.end(), std::back_inserter(result.participants));
        for (const std::string& name : found.strangers) result.strangers.push_back(below + name);
    };
    add(detail::classify(at, detail::ChildrenOf::path, names.children, detail::make_other_names(std::move(options.others), at)),
        {});
    const auto part = [&](std::string_view name, detail::ChildrenOf which, const std::vector<std::string>& children) {
        if (!children.empty()) add(detail::classify(join_path(at, name), which, children), std::string(name) + "/");
    };
    part(detail::leases_name, detail::ChildrenOf::leases, names.leases);
    part(detail::gate_name, detail::ChildrenOf::gate, names.gate);
    return result;
}

Inspection inspect(Client& client, std::string_view path, InspectOptions options, error_code& ec, CallOptions call) {
    return detail::block<Inspection>(detail::view_of(client), std::move(call), ec, detail::initiate_inspect,
                                     detail::view_of(client), std::string(path), options);
}

Inspection inspect(Client& client, std::string_view path, InspectOptions options, CallOptions call) {
    return detail::throwing_at("inspect", path,
                               [&](error_code& ec) { return inspect(client, path, std::move(options), ec, std::move(call)); });
}

Inspection inspect(Client& client, std::string_view path, error_code& ec, CallOptions call) {
    return inspect(client, path, InspectOptions{}, ec, std::move(call));
}

Inspection inspect(Client& client, std::string_view path, CallOptions call) {
    return inspect(client, path, InspectOptions{}, std::move(call));
}

} // namespace docent
