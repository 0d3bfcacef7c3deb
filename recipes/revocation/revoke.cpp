// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/revocation.hpp>

#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/operations/request_operation.hpp"
#include "client/operations/sequence_operation.hpp"
#include "revocation/request.hpp"

#include <docent/client.hpp>
#include <docent/path.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace docent {
namespace detail {
namespace {

error_code fault_of(std::string_view path) {
    if (const auto ec = check_path(path)) return ec;
    return is_lock_node(path) ? error_code{} : make_error_code(server_error::bad_arguments);
}

} // namespace

void initiate_revoke(const std::shared_ptr<ClientView>& view, std::string path, CallOptions call, Handler<> handler) {
    const error_code fault = fault_of(path);
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<> done) -> std::shared_ptr<Operation> {
        if (fault) return std::make_shared<Refusal>([done = std::move(done), fault] { done(fault); });
        return std::make_shared<RequestOperation>(view, zk::SetRequest{std::move(path), revocation_request, any_version},
                                                  [done = std::move(done)](error_code ec, const zk::Reply&) { done(ec); });
    };
    launch<>(view, {"revoke", path}, std::move(call), std::move(handler), make);
}

} // namespace detail

void revoke(Client& client, std::string_view node_path, error_code& ec, CallOptions call) {
    detail::block_on<>(*client.core(), std::move(call), ec, [&](CallOptions options, detail::Handler<> handler) {
        detail::initiate_revoke(client.core(), std::string(node_path), std::move(options), std::move(handler));
    });
}

void revoke(Client& client, std::string_view node_path, CallOptions call) {
    error_code ec;
    revoke(client, node_path, ec, std::move(call));
    const bool other = ec == server_error::bad_arguments && !is_lock_node(node_path);
    detail::throw_if(ec, "revoke", std::string(node_path) + (other ? ", which is not the node of a lock" : ""));
}

bool is_lock_node(std::string_view path) noexcept {
    constexpr std::array<std::string_view, 4> tokens{"lock-", "__READ__", "__WRIT__", "lease-"};
    constexpr std::size_t digits = 10;
    std::string_view name = node_name(path);
    if (name.size() < digits) return false;
    const std::string_view number = name.substr(name.size() - digits);
    if (!std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; })) return false;
    name.remove_suffix(digits);
    return std::any_of(tokens.begin(), tokens.end(), [name](std::string_view token) {
        if (!name.ends_with(token)) return false;
        const auto prefix = name.substr(0, name.size() - token.size()); // block-0000000001 is something else
        return prefix.empty() || (prefix.starts_with("_c_") && prefix.ends_with('-'));
    });
}

} // namespace docent
