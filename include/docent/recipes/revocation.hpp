// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

class Client;

/// Whether the last element of `path` is a name that docent and Curator give to nodes whose holder can be asked: those of
/// mutexes, of both sides of read/write locks, and of semaphores' leases.
DOCENT_EXPORT bool is_lock_node(std::string_view path) noexcept;

/// Asks whoever holds by the node at `node_path`, docent's or Curator's, to give it up: writes `__REVOKE__` into the node,
/// never compressed. Whether the holder listens, nobody tells. One who still waits may be asked, too: docent's hears it when it
/// holds. inspect() shows the nodes.
///
/// After a lost reply it is written again, which asks for the same.
/// Errors: `server_error::bad_arguments` (not a lock's node: nothing was written), `no_node` (nobody holds by it any more),
/// `no_auth`, those of Client::set.
DOCENT_EXPORT void revoke(Client& client, std::string_view node_path, CallOptions call = {});
DOCENT_EXPORT void revoke(Client& client, std::string_view node_path, error_code& ec, CallOptions call = {});

namespace detail {
class ClientView;
DOCENT_EXPORT const std::shared_ptr<ClientView>& view_of(Client& client);
DOCENT_EXPORT void initiate_revoke(const std::shared_ptr<ClientView>&, std::string node_path, CallOptions, Handler<>);
} // namespace detail

/// Completion signature: `void(error_code)`. Cancellation: as Client::async_set().
template <std::derived_from<Client> AnyClient,
          asio::completion_token_for<void(error_code)> Token = detail::DefaultToken<typename AnyClient::executor_type>>
auto async_revoke(AnyClient& client, std::string node_path, CallOptions call, Token&& token = Token{}) {
    return detail::initiate<>(&detail::initiate_revoke, token, detail::view_of(client), std::move(node_path), std::move(call));
}
template <std::derived_from<Client> AnyClient,
          asio::completion_token_for<void(error_code)> Token = detail::DefaultToken<typename AnyClient::executor_type>>
auto async_revoke(AnyClient& client, std::string node_path, Token&& token = Token{}) {
    return async_revoke(client, std::move(node_path), CallOptions{}, std::forward<Token>(token));
}

} // namespace docent
