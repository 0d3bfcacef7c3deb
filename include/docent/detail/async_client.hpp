// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/detail/initiate.hpp>
#include <docent/detail/rebind.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace docent::detail {

/// The state of a Client; the pointers are null after a move.
class ClientParts {
protected:
    /// Makes an empty object.
    ClientParts() = default;

    ProcessOwned<ClientRuntime> core_; ///< The session and everything that the client shares.
    std::string name_space_;           ///< The namespace, without the chroot.
    ProcessOwned<ClientView> view_;    ///< The core with the prefix of chroot and namespace; operations use it.
};

/// The asynchronous operations of Client.
///
/// Each takes the same arguments as the blocking operation of the same name, then CallOptions, then the completion token. The
/// comment of Client says how and where handlers are called. Only blocking forms fail with `error::would_deadlock` or
/// `error::executor_idle`.
template <typename Base, typename Default> class AsyncClient : public Base {
public:
    using Base::Base;
    /// Makes an empty object.
    AsyncClient() = default;
    /// Takes the client of `base`, for another default token.
    explicit AsyncClient(Base&& base) : Base(std::move(base)) {}

    /// Closes the client, as Client::close does, without blocking a thread. The operation completes when the session is closed.
    /// - Completion signature: `void(error_code)`.
    /// - Cancellation: none.
    /// - Errors: `error::other_process`. Closing a client again, or after a move, succeeds.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_close(Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_close, token, this->core_);
    }

    /// Waits until a server has answered, as Client::wait_connected does.
    /// - Completion signature: `void(error_code)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`.
    /// - Errors: `error::not_connected`, and the errors of every operation (Client).
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_wait_connected(Token&& token = Token{}) {
        return async_wait_connected(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_wait_connected(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_until_connected, token, this->view_, std::move(call));
    }

    /// Creates a node, as Client::create does.
    /// - Completion signature: `void(error_code, Created)`.
    /// - Cancellation: `terminal` and `partial` at any time, `total` until the first request was sent. The operation completes
    ///   at once with `operation_aborted`; the node may exist. With `Protection::protected_` the
    ///   client removes the node in the background.
    /// - Errors: as Client::create. `Created::path` then names a missing parent that the ACL forbids to create.
    template <asio::completion_token_for<void(error_code, Created)> Token = Default>
    auto async_create(std::string path, std::optional<std::string> data = {}, CreateOptions options = {},
                      Token&& token = Token{}) {
        return async_create(std::move(path), std::move(data), std::move(options), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with default data and options.
    template <asio::completion_token_for<void(error_code, Created)> Token> auto async_create(std::string path, Token&& token) {
        return async_create(std::move(path), std::nullopt, CreateOptions{}, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with default options.
    template <asio::completion_token_for<void(error_code, Created)> Token>
    auto async_create(std::string path, std::optional<std::string> data, Token&& token) {
        return async_create(std::move(path), std::move(data), CreateOptions{}, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with default data.
    template <asio::completion_token_for<void(error_code, Created)> Token = Default>
    auto async_create(std::string path, CreateOptions options, Token&& token = Token{}) {
        return async_create(std::move(path), std::nullopt, std::move(options), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with a mode as the only option.
    template <asio::completion_token_for<void(error_code, Created)> Token = Default>
    auto async_create(std::string path, std::optional<std::string> data, CreateMode mode, Token&& token = Token{}) {
        return async_create(std::move(path), std::move(data), CreateOptions{.mode = mode}, CallOptions{},
                            std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, Created)> Token = Default>
    auto async_create(std::string path, std::optional<std::string> data, CreateOptions options, CallOptions call,
                      Token&& token = Token{}) {
        return detail::initiate<Created>(&detail::initiate_create, token, this->view_, std::move(path), std::move(data),
                                         std::move(options), std::move(call));
    }

    /// Reads a node's data and metadata, as Client::get does.
    /// - Completion signature: `void(error_code, NodeData)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`.
    /// - Errors: as Client::get.
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_get(std::string path, Token&& token = Token{}) {
        return async_get(std::move(path), GetOptions{}, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options.
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_get(std::string path, GetOptions options, Token&& token = Token{}) {
        return async_get(std::move(path), options, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_get(std::string path, GetOptions options, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<NodeData>(&detail::initiate_get, token, this->view_, std::move(path), options, std::move(call));
    }

    /// Reads a node's data and sets a watch, as Client::get_watched does.
    /// - Completion signature: `void(error_code, Watched<NodeData>)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`.
    /// - Errors: as Client::get_watched. After an error there is no watch.
    template <asio::completion_token_for<void(error_code, Watched<NodeData>)> Token = Default>
    auto async_get_watched(std::string path, Token&& token = Token{}) {
        return async_get_watched(std::move(path), GetOptions{}, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options.
    template <asio::completion_token_for<void(error_code, Watched<NodeData>)> Token = Default>
    auto async_get_watched(std::string path, GetOptions options, Token&& token = Token{}) {
        return async_get_watched(std::move(path), options, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, Watched<NodeData>)> Token = Default>
    auto async_get_watched(std::string path, GetOptions options, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Watched<NodeData>>(&detail::initiate_get_watched, token, this->view_, std::move(path), options,
                                                   std::move(call));
    }

    /// Replaces a node's data, as Client::set does.
    /// - Completion signature: `void(error_code, Stat)`.
    /// - Cancellation: `terminal` and `partial` at any time, `total` until the first request was sent. The operation completes
    ///   at once with `operation_aborted`; the server may still replace the data.
    /// - Errors: as Client::set.
    template <asio::completion_token_for<void(error_code, Stat)> Token = Default>
    auto async_set(std::string path, std::string data, SetOptions options = {}, Token&& token = Token{}) {
        return async_set(std::move(path), std::move(data), options, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with default options.
    template <asio::completion_token_for<void(error_code, Stat)> Token>
    auto async_set(std::string path, std::string data, Token&& token) {
        return async_set(std::move(path), std::move(data), SetOptions{}, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with the version that the node must have as the only option.
    template <std::same_as<std::int32_t> Version, asio::completion_token_for<void(error_code, Stat)> Token = Default>
    auto async_set(std::string path, std::string data, Version version, Token&& token = Token{}) {
        return async_set(std::move(path), std::move(data), SetOptions{.version = version}, CallOptions{},
                         std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, Stat)> Token = Default>
    auto async_set(std::string path, std::string data, SetOptions options, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Stat>(&detail::initiate_set, token, this->view_, std::move(path), std::move(data), options,
                                      std::move(call));
    }

    /// Removes a node, as Client::remove does.
    /// - Completion signature: `void(error_code)`.
    /// - Cancellation: `terminal` and `partial` at any time, `total` until the first request was sent. The operation completes
    ///   at once with `operation_aborted`; the server may still remove nodes. With `Guarantee::background`
    ///   the client continues the removal.
    /// - Errors: as Client::remove.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_remove(std::string path, RemoveOptions options = {}, Token&& token = Token{}) {
        return async_remove(std::move(path), options, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with default options.
    template <asio::completion_token_for<void(error_code)> Token> auto async_remove(std::string path, Token&& token) {
        return async_remove(std::move(path), RemoveOptions{}, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_remove(std::string path, RemoveOptions options, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_remove, token, this->view_, std::move(path), options, std::move(call));
    }

    /// Returns a node's metadata, as Client::exists does.
    /// - Completion signature: `void(error_code, std::optional<Stat>)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`.
    /// - Errors: the errors of every operation (Client). A missing node is no error.
    template <asio::completion_token_for<void(error_code, std::optional<Stat>)> Token = Default>
    auto async_exists(std::string path, Token&& token = Token{}) {
        return async_exists(std::move(path), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, std::optional<Stat>)> Token = Default>
    auto async_exists(std::string path, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<std::optional<Stat>>(&detail::initiate_exists, token, this->view_, std::move(path),
                                                     std::move(call));
    }

    /// Returns a node's metadata and sets a watch, as Client::exists_watched does.
    /// - Completion signature: `void(error_code, Watched<std::optional<Stat>>)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`.
    /// - Errors: as Client::exists_watched. A missing node is no error.
    template <asio::completion_token_for<void(error_code, Watched<std::optional<Stat>>)> Token = Default>
    auto async_exists_watched(std::string path, Token&& token = Token{}) {
        return async_exists_watched(std::move(path), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, Watched<std::optional<Stat>>)> Token = Default>
    auto async_exists_watched(std::string path, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Watched<std::optional<Stat>>>(&detail::initiate_exists_watched, token, this->view_,
                                                              std::move(path), std::move(call));
    }

    /// Returns the names of a node's children, as Client::children does.
    /// - Completion signature: `void(error_code, Children)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`.
    /// - Errors: as Client::children.
    template <asio::completion_token_for<void(error_code, Children)> Token = Default>
    auto async_children(std::string path, Token&& token = Token{}) {
        return async_children(std::move(path), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, Children)> Token = Default>
    auto async_children(std::string path, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Children>(&detail::initiate_children, token, this->view_, std::move(path), std::move(call));
    }

    /// Returns the names of a node's children and sets a watch, as Client::children_watched does.
    /// - Completion signature: `void(error_code, Watched<Children>)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`.
    /// - Errors: as Client::children_watched. After an error there is no watch.
    template <asio::completion_token_for<void(error_code, Watched<Children>)> Token = Default>
    auto async_children_watched(std::string path, Token&& token = Token{}) {
        return async_children_watched(std::move(path), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, Watched<Children>)> Token = Default>
    auto async_children_watched(std::string path, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Watched<Children>>(&detail::initiate_children_watched, token, this->view_, std::move(path),
                                                   std::move(call));
    }

    /// Returns a node's ACL and metadata, as Client::get_acl does.
    /// - Completion signature: `void(error_code, NodeAcl)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`.
    /// - Errors: as Client::get_acl.
    template <asio::completion_token_for<void(error_code, NodeAcl)> Token = Default>
    auto async_get_acl(std::string path, Token&& token = Token{}) {
        return async_get_acl(std::move(path), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, NodeAcl)> Token = Default>
    auto async_get_acl(std::string path, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<NodeAcl>(&detail::initiate_get_acl, token, this->view_, std::move(path), std::move(call));
    }

    /// Replaces a node's ACL, as Client::set_acl does.
    /// - Completion signature: `void(error_code, Stat)`.
    /// - Cancellation: `terminal` and `partial` at any time, `total` until the first request was sent. The operation completes
    ///   at once with `operation_aborted`; the server may still replace the ACL.
    /// - Errors: as Client::set_acl.
    template <asio::completion_token_for<void(error_code, Stat)> Token = Default>
    auto async_set_acl(std::string path, Acl acl, std::int32_t version = any_version, Token&& token = Token{}) {
        return async_set_acl(std::move(path), std::move(acl), version, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, for any version.
    template <asio::completion_token_for<void(error_code, Stat)> Token>
    auto async_set_acl(std::string path, Acl acl, Token&& token) {
        return async_set_acl(std::move(path), std::move(acl), any_version, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, Stat)> Token = Default>
    auto async_set_acl(std::string path, Acl acl, std::int32_t version, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Stat>(&detail::initiate_set_acl, token, this->view_, std::move(path), std::move(acl), version,
                                      std::move(call));
    }

    /// Returns the configuration of the ensemble, as Client::ensemble_config does.
    /// - Completion signature: `void(error_code, NodeData)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`.
    /// - Errors: the errors of every operation (Client).
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_ensemble_config(Token&& token = Token{}) {
        return async_ensemble_config(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_ensemble_config(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<NodeData>(&detail::initiate_ensemble_config, token, this->core_, std::move(call));
    }

    /// Returns the configuration of the ensemble and sets a watch, as Client::ensemble_config_watched does.
    /// - Completion signature: `void(error_code, Watched<NodeData>)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`.
    /// - Errors: the errors of every operation (Client), and `error::too_many_watches`.
    template <asio::completion_token_for<void(error_code, Watched<NodeData>)> Token = Default>
    auto async_ensemble_config_watched(Token&& token = Token{}) {
        return async_ensemble_config_watched(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, Watched<NodeData>)> Token = Default>
    auto async_ensemble_config_watched(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Watched<NodeData>>(&detail::initiate_ensemble_config_watched, token, this->core_,
                                                   std::move(call));
    }

    /// Changes the ensemble, as Client::reconfigure does.
    /// - Completion signature: `void(error_code, NodeData)`.
    /// - Cancellation: `terminal` and `partial` at any time, `total` until the first request was sent. The operation completes
    ///   at once with `operation_aborted`; the servers may still apply the change.
    /// - Errors: as Client::reconfigure.
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_reconfigure(Reconfiguration change, Token&& token = Token{}) {
        return async_reconfigure(std::move(change), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_reconfigure(Reconfiguration change, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<NodeData>(&detail::initiate_reconfigure, token, this->view_, std::move(change),
                                          std::move(call));
    }

    /// Waits until the client's server has applied all committed writes, as Client::sync does.
    /// - Completion signature: `void(error_code)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`.
    /// - Errors: the errors of every operation (Client).
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_sync(std::string path = "/", Token&& token = Token{}) {
        return async_sync(std::move(path), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, for the root.
    template <asio::completion_token_for<void(error_code)> Token> auto async_sync(Token&& token) {
        return async_sync("/", CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_sync(std::string path, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_sync, token, this->view_, std::move(path), std::move(call));
    }

    /// Applies a transaction, as Client::commit does.
    /// - Completion signature: `void(error_code, TransactionResult)`.
    /// - Cancellation: `terminal` and `partial` at any time, `total` until the first request was sent. The operation completes
    ///   at once with `operation_aborted`; the server may still apply the transaction.
    /// - Errors: as Client::commit. The result then says which operation failed.
    template <asio::completion_token_for<void(error_code, TransactionResult)> Token = Default>
    auto async_commit(Transaction transaction, Token&& token = Token{}) {
        return async_commit(std::move(transaction), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, TransactionResult)> Token = Default>
    auto async_commit(Transaction transaction, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<TransactionResult>(&detail::initiate_commit, token, this->view_, std::move(transaction),
                                                   std::move(call));
    }
};

} // namespace docent::detail
