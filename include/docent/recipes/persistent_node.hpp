// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/create_mode.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/operation_options.hpp>
#include <docent/session_events.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

class Client;

/// What is said of a PersistentNode when its object is made.
struct PersistentNodeOptions {
    CreateMode mode = CreateMode::ephemeral; ///< Not a container, and without TTL.
    /// `protected_`: the node has a name of its own, `_c_<uuid>-<name>`, by which it is found after a lost reply.
    Protection protection = Protection::none;
    std::string data = {}; ///< Compressed as `ClientConfig::compression` says.
};

enum class PersistentNodeChange {
    made,     ///< The node is there; also again.
    gone,     ///< Its session ended, or somebody deleted it. It is made again.
    not_made, ///< It could not be made, for the reason given; that is tried again.
};

struct PersistentNodeEvent {
    PersistentNodeChange change;
    std::string node_path = {}; ///< Of the node that is there, or was.
    error_code reason = {};     ///< For `not_made`. `node_exists`: another session's node is in the way, until it goes.
};

namespace detail {
class PersistentNodeCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const PersistentNodeCore& core);
DOCENT_EXPORT void initiate_await_node(const std::shared_ptr<PersistentNodeCore>&, CallOptions, Handler<std::string>);
DOCENT_EXPORT void initiate_node_set(const std::shared_ptr<PersistentNodeCore>&, std::string data, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_node_close(const std::shared_ptr<PersistentNodeCore>&, CallOptions, Handler<>);

template <typename Base, typename Default> class AsyncPersistentNode : public Base {
public:
    using Base::Base;
    AsyncPersistentNode() = default;
    explicit AsyncPersistentNode(Base&& base) : Base(SameObject{}, base) {}

    /// Completion signature: `void(error_code, std::string)`. Cancellation: `terminal`, `partial`, `total`; ends the wait, not
    /// the node. Lifetime of all: the object may be destroyed before completion.
    template <asio::completion_token_for<void(error_code, std::string)> Token = Default>
    auto async_await_node(Token&& token = Token{}) {
        return async_await_node(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, std::string)> Token = Default>
    auto async_await_node(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<std::string>(&detail::initiate_await_node, token, this->core_, std::move(call));
    }

    /// Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial`; ends the wait, not the change.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_set_data(std::string data, Token&& token = Token{}) {
        return async_set_data(std::move(data), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_set_data(std::string data, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_node_set, token, this->core_, std::move(data), std::move(call));
    }

    /// Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial`; completes at once, closed nevertheless.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_close(Token&& token = Token{}) {
        return async_close(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_close(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_node_close, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// A node that is there for as long as this object says so: made again whenever its session ends or somebody deletes it, until
/// close(). Curator's PersistentNode, with the same nodes.
///
/// A node of another session in the way (of another process, or one's own session before, which the servers have not given up
/// yet) is waited for; it is never taken over. A node that has no owner is, in a mode that is not ephemeral. What somebody puts
/// in the node's place is left alone; before the news of it has come, that is told by its version (see docs).
///
/// **Cost.** One round trip to make it, and one read that watches it, at the beginning, after each reconnect and each change.
///
/// Lifetime: the destructor closes and does not wait. Must not outlive its client's `close()` usefully. Thread safety: all
/// members from any thread.
class DOCENT_EXPORT PersistentNode
    : public detail::AsyncPersistentNode<detail::Holder<detail::PersistentNodeCore>, asio::deferred_t> {
public:
    /// Errors: throws `error::invalid_path`, `error::corrupt_data` if the data cannot be compressed, `unimplemented` for modes
    /// that are left out. Nothing is sent; parents are made as `ClientConfig::own_parents`.
    PersistentNode(Client& client, std::string_view path, PersistentNodeOptions options = {});
    ~PersistentNode();
    PersistentNode(const PersistentNode&) = delete;
    PersistentNode& operator=(const PersistentNode&) = delete;

    /// As it was given.
    const std::string& path() const noexcept;
    /// Of the node, with prefix and digits; empty while none is known to be there. No network.
    std::string node_path() const;
    /// As it was last set. No network.
    std::string data() const;

    /// Keeps the node from now on, without waiting for anything. Starting again does nothing. Errors: `error::closed`, after
    /// close().
    void start();
    void start(error_code& ec);

    /// Waits until the node is there, with the data last set, and gives its path; starts if need be. Errors: what keeps it from
    /// being made, though it is tried again: `error::not_connected` after `ClientConfig::connection_timeout`,
    /// `server_error::no_auth`; `server_error::operation_timeout`; `error::closed`. A node in the way is waited for.
    std::string await_node(CallOptions call = {});
    std::string await_node(error_code& ec, CallOptions call = {});

    /// Gives the node this data, now and whenever it is made again, and waits until it has; starts if need be. Whatever ends
    /// the wait, the data stays set. Errors: as await_node(); `error::corrupt_data`.
    void set_data(std::string_view data, CallOptions call = {});
    void set_data(std::string_view data, error_code& ec, CallOptions call = {});

    /// Ends what start() has begun. Removes the node, whether the object has made it or taken it over, and whether the close
    /// comes before the node is found there or after. A node of another session stays. Without a connection since start()
    /// nothing was found, and what is there stays.
    ///
    /// Waits until the server has confirmed the removal; when the connection breaks meanwhile it returns at once,
    /// and the node goes on the next one. Of a session that has ended meanwhile nothing is left.
    /// Closing again does nothing.
    void close(CallOptions call = {});
    void close(error_code& ec, CallOptions call = {});

    /// Calls `listener` with each change from now on, in order, one at a time, on `executor`, or on the client's if it is
    /// empty: listen before you start.
    [[nodiscard]] Subscription listen(std::function<void(const PersistentNodeEvent&)> listener,
                                      asio::any_io_executor executor = {});

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncPersistentNode<PersistentNode, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    PersistentNode(detail::SameObject, const PersistentNode& other);

private:
    friend struct detail::Access;
    friend class GroupMember;

    detail::ProcessOwned<void> keeping_; // ends with the last of those that are the same node
};

DOCENT_EXPORT std::string_view to_string(PersistentNodeChange change) noexcept;

} // namespace docent
