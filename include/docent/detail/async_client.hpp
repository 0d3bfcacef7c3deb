// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/detail/initiate.hpp>
#include <docent/detail/rebind.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace docent::detail {

/// What a client is: null where it was moved from.
class ClientParts {
protected:
    ClientParts() = default;

    ProcessOwned<ClientRuntime> core_;
    std::string name_space_;
    ProcessOwned<ClientView> view_; // what operations see: core_, or core_ under a prefix
};

/// The asynchronous operations of Client. What each does, and its errors, are said of its namesake without `async_`; how all
/// complete, at Client. Arguments that can be left out are those of the namesake, and `CallOptions` come last before the token.
template <typename Base, typename Default> class AsyncClient : public Base {
public:
    using Base::Base;
    AsyncClient() = default;
    explicit AsyncClient(Base&& base) : Base(std::move(base)) {}

    /// Completion signature: `void(error_code)`; completes when the session is closed. Not cancellable.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_close(Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_close, token, this->core_);
    }

    /// Completion signature: `void(error_code)`.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_wait_connected(Token&& token = Token{}) {
        return async_wait_connected(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_wait_connected(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_until_connected, token, this->view_, std::move(call));
    }

    /// Completion signature: `void(error_code, Created)`.
    template <asio::completion_token_for<void(error_code, Created)> Token = Default>
    auto async_create(std::string path, std::optional<std::string> data = {}, CreateOptions options = {},
                      Token&& token = Token{}) {
        return async_create(std::move(path), std::move(data), std::move(options), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Created)> Token> auto async_create(std::string path, Token&& token) {
        return async_create(std::move(path), std::nullopt, CreateOptions{}, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Created)> Token>
    auto async_create(std::string path, std::optional<std::string> data, Token&& token) {
        return async_create(std::move(path), std::move(data), CreateOptions{}, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Created)> Token = Default>
    auto async_create(std::string path, std::optional<std::string> data, CreateOptions options, CallOptions call,
                      Token&& token = Token{}) {
        return detail::initiate<Created>(&detail::initiate_create, token, this->view_, std::move(path), std::move(data),
                                         std::move(options), std::move(call));
    }

    /// Completion signature: `void(error_code, NodeData)`.
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_get(std::string path, Token&& token = Token{}) {
        return async_get(std::move(path), GetOptions{}, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_get(std::string path, GetOptions options, Token&& token = Token{}) {
        return async_get(std::move(path), options, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_get(std::string path, GetOptions options, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<NodeData>(&detail::initiate_get, token, this->view_, std::move(path), options, std::move(call));
    }

    /// Completion signature: `void(error_code, Watched<NodeData>)`.
    template <asio::completion_token_for<void(error_code, Watched<NodeData>)> Token = Default>
    auto async_get_watched(std::string path, Token&& token = Token{}) {
        return async_get_watched(std::move(path), GetOptions{}, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Watched<NodeData>)> Token = Default>
    auto async_get_watched(std::string path, GetOptions options, Token&& token = Token{}) {
        return async_get_watched(std::move(path), options, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Watched<NodeData>)> Token = Default>
    auto async_get_watched(std::string path, GetOptions options, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Watched<NodeData>>(&detail::initiate_get_watched, token, this->view_, std::move(path), options,
                                                   std::move(call));
    }

    /// Completion signature: `void(error_code, Stat)`.
    template <asio::completion_token_for<void(error_code, Stat)> Token = Default>
    auto async_set(std::string path, std::string data, SetOptions options = {}, Token&& token = Token{}) {
        return async_set(std::move(path), std::move(data), options, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Stat)> Token>
    auto async_set(std::string path, std::string data, Token&& token) {
        return async_set(std::move(path), std::move(data), SetOptions{}, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Stat)> Token = Default>
    auto async_set(std::string path, std::string data, SetOptions options, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Stat>(&detail::initiate_set, token, this->view_, std::move(path), std::move(data), options,
                                      std::move(call));
    }

    /// Completion signature: `void(error_code)`.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_remove(std::string path, RemoveOptions options = {}, Token&& token = Token{}) {
        return async_remove(std::move(path), options, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token> auto async_remove(std::string path, Token&& token) {
        return async_remove(std::move(path), RemoveOptions{}, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_remove(std::string path, RemoveOptions options, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_remove, token, this->view_, std::move(path), options, std::move(call));
    }

    /// Completion signature: `void(error_code, std::optional<Stat>)`.
    template <asio::completion_token_for<void(error_code, std::optional<Stat>)> Token = Default>
    auto async_exists(std::string path, Token&& token = Token{}) {
        return async_exists(std::move(path), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, std::optional<Stat>)> Token = Default>
    auto async_exists(std::string path, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<std::optional<Stat>>(&detail::initiate_exists, token, this->view_, std::move(path),
                                                     std::move(call));
    }

    /// Completion signature: `void(error_code, Watched<std::optional<Stat>>)`.
    template <asio::completion_token_for<void(error_code, Watched<std::optional<Stat>>)> Token = Default>
    auto async_exists_watched(std::string path, Token&& token = Token{}) {
        return async_exists_watched(std::move(path), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Watched<std::optional<Stat>>)> Token = Default>
    auto async_exists_watched(std::string path, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Watched<std::optional<Stat>>>(&detail::initiate_exists_watched, token, this->view_,
                                                              std::move(path), std::move(call));
    }

    /// Completion signature: `void(error_code, Children)`.
    template <asio::completion_token_for<void(error_code, Children)> Token = Default>
    auto async_children(std::string path, Token&& token = Token{}) {
        return async_children(std::move(path), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Children)> Token = Default>
    auto async_children(std::string path, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Children>(&detail::initiate_children, token, this->view_, std::move(path), std::move(call));
    }

    /// Completion signature: `void(error_code, Watched<Children>)`.
    template <asio::completion_token_for<void(error_code, Watched<Children>)> Token = Default>
    auto async_children_watched(std::string path, Token&& token = Token{}) {
        return async_children_watched(std::move(path), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Watched<Children>)> Token = Default>
    auto async_children_watched(std::string path, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Watched<Children>>(&detail::initiate_children_watched, token, this->view_, std::move(path),
                                                   std::move(call));
    }

    /// Completion signature: `void(error_code, NodeAcl)`.
    template <asio::completion_token_for<void(error_code, NodeAcl)> Token = Default>
    auto async_get_acl(std::string path, Token&& token = Token{}) {
        return async_get_acl(std::move(path), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, NodeAcl)> Token = Default>
    auto async_get_acl(std::string path, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<NodeAcl>(&detail::initiate_get_acl, token, this->view_, std::move(path), std::move(call));
    }

    /// Completion signature: `void(error_code, Stat)`.
    template <asio::completion_token_for<void(error_code, Stat)> Token = Default>
    auto async_set_acl(std::string path, Acl acl, std::int32_t version = any_version, Token&& token = Token{}) {
        return async_set_acl(std::move(path), std::move(acl), version, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Stat)> Token>
    auto async_set_acl(std::string path, Acl acl, Token&& token) {
        return async_set_acl(std::move(path), std::move(acl), any_version, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Stat)> Token = Default>
    auto async_set_acl(std::string path, Acl acl, std::int32_t version, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Stat>(&detail::initiate_set_acl, token, this->view_, std::move(path), std::move(acl), version,
                                      std::move(call));
    }

    /// Completion signature: `void(error_code, NodeData)`.
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_ensemble_config(Token&& token = Token{}) {
        return async_ensemble_config(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_ensemble_config(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<NodeData>(&detail::initiate_ensemble_config, token, this->view_, std::move(call));
    }

    /// Completion signature: `void(error_code, Watched<NodeData>)`.
    template <asio::completion_token_for<void(error_code, Watched<NodeData>)> Token = Default>
    auto async_ensemble_config_watched(Token&& token = Token{}) {
        return async_ensemble_config_watched(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Watched<NodeData>)> Token = Default>
    auto async_ensemble_config_watched(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Watched<NodeData>>(&detail::initiate_ensemble_config_watched, token, this->view_,
                                                   std::move(call));
    }

    /// Completion signature: `void(error_code, NodeData)`.
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_reconfigure(Reconfiguration change, Token&& token = Token{}) {
        return async_reconfigure(std::move(change), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, NodeData)> Token = Default>
    auto async_reconfigure(Reconfiguration change, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<NodeData>(&detail::initiate_reconfigure, token, this->view_, std::move(change),
                                          std::move(call));
    }

    /// Completion signature: `void(error_code)`.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_sync(std::string path = "/", Token&& token = Token{}) {
        return async_sync(std::move(path), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token> auto async_sync(Token&& token) {
        return async_sync("/", CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_sync(std::string path, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_sync, token, this->view_, std::move(path), std::move(call));
    }

    /// Completion signature: `void(error_code, TransactionResult)`. Cancellation: completes at once; what was sent may still be
    /// applied.
    template <asio::completion_token_for<void(error_code, TransactionResult)> Token = Default>
    auto async_commit(Transaction transaction, Token&& token = Token{}) {
        return async_commit(std::move(transaction), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, TransactionResult)> Token = Default>
    auto async_commit(Transaction transaction, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<TransactionResult>(&detail::initiate_commit, token, this->view_, std::move(transaction),
                                                   std::move(call));
    }
};

} // namespace docent::detail
