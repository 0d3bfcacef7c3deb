// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/inspection.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "inspection/inspect_operation.hpp"

#include <docent/client.hpp>

namespace docent {
namespace detail {

const std::shared_ptr<ClientView>& view_of(Client& client) {
    return Access::view(client);
}

void initiate_inspect(const std::shared_ptr<ClientView>& view, std::string path, CallOptions call,
                      Handler<Inspection> handler) {
    const auto make = [&path](const std::shared_ptr<ClientView>& observed, Done<Inspection> done) {
        return std::make_shared<InspectOperation>(observed, path, std::move(done));
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

Inspection inspect(Client& client, std::string_view path, error_code& ec, CallOptions call) {
    return detail::block_on<Inspection>(
        detail::view_of(client), std::move(call), ec, [&](CallOptions options, detail::Handler<Inspection> handler) {
            detail::initiate_inspect(detail::view_of(client), std::string(path), std::move(options), std::move(handler));
        });
}

Inspection inspect(Client& client, std::string_view path, CallOptions call) {
    error_code ec;
    Inspection result = inspect(client, path, ec, std::move(call));
    detail::throw_if(ec, "inspect", path);
    return result;
}

} // namespace docent
