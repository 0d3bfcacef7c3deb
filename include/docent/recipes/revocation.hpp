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

/// Whether the path ends with the name of a lock node of docent or Curator that can be revoked.
///
/// These are the nodes of mutexes, of both sides of read/write locks, and of permits.
/// @ingroup locks
DOCENT_EXPORT bool is_lock_node(std::string_view path) noexcept;

/// Asks the holder with the node at `node_path`, docent's or Curator's, to give the lock up.
///
/// ```cpp
/// for (const docent::Participant& each : docent::inspect(client, "/locks/nightly").participants) {
///     if (each.holds) docent::revoke(client, each.node_path);
/// }
/// ```
///
/// Writes `__REVOKE__` into the node, uncompressed. The call does not tell whether the holder
/// listens. A waiter may be asked as well: a docent waiter hears of it when it gets the lock.
/// inspect() lists the nodes. After a lost reply the request is written again, which has the same
/// meaning.
///
/// Errors: `server_error::bad_arguments` (not a lock node; nothing was written),
/// `server_error::no_node` (the holder has released the lock), `server_error::no_auth`, and as
/// Client::set().
/// @ingroup locks
DOCENT_EXPORT void revoke(Client& client, std::string_view node_path, CallOptions call = {});
/// As above, but sets `ec` instead of throwing.
/// @ingroup locks
DOCENT_EXPORT void revoke(Client& client, std::string_view node_path, error_code& ec, CallOptions call = {});

namespace detail {
class ClientView;
DOCENT_EXPORT const std::shared_ptr<ClientView>& view_of(Client& client);
DOCENT_EXPORT void initiate_revoke(const std::shared_ptr<ClientView>&, std::string node_path, CallOptions, Handler<>);
} // namespace detail

/// Asks a holder to give the lock up, as revoke() does.
///
/// Completion signature: `void(error_code)`. Cancellation: as Client::async_set().
/// @ingroup locks
template <std::derived_from<Client> AnyClient,
          asio::completion_token_for<void(error_code)> Token = detail::DefaultToken<typename AnyClient::executor_type>>
auto async_revoke(AnyClient& client, std::string node_path, CallOptions call, Token&& token = Token{}) {
    return detail::initiate<>(&detail::initiate_revoke, token, detail::view_of(client), std::move(node_path), std::move(call));
}
/// As above, with default options.
/// @ingroup locks
template <std::derived_from<Client> AnyClient,
          asio::completion_token_for<void(error_code)> Token = detail::DefaultToken<typename AnyClient::executor_type>>
auto async_revoke(AnyClient& client, std::string node_path, Token&& token = Token{}) {
    return async_revoke(client, std::move(node_path), CallOptions{}, std::forward<Token>(token));
}

} // namespace docent
