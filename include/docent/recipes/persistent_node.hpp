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
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

class Client;

/// The options of a PersistentNode.
///
/// ```cpp
/// docent::PersistentNodeOptions options{.mode = docent::CreateMode::ephemeral, .data = "10.0.0.3:8080"};
/// ```
/// @ingroup values
struct PersistentNodeOptions {
    /// The mode of the node; not a container, and not a mode with a TTL.
    CreateMode mode = CreateMode::ephemeral;
    /// With `protected_`, the node's name is `_c_<uuid>-<name>`, so that it is found after a lost
    /// reply.
    Protection protection = Protection::none;
    /// The data of the node. Compressed as `ClientConfig::compression` says.
    std::string data = {};
    /// How missing parents are made; without a value as `ClientConfig::own_parents` says.
    ///
    /// With `Parents::fail` the node waits for its parent: listeners hear `not_made` with
    /// `server_error::no_node`, and the object tries again.
    std::optional<Parents> parents = {};
};

/// A change of a persistent node.
/// @ingroup values
enum class PersistentNodeChange {
    /// The node is there, for the first time or again.
    made,
    /// The session ended, or a client deleted the node. It will be made again.
    gone,
    /// The node could not be made, for the given reason. Another try follows.
    not_made,
};

/// An event for the listeners of a PersistentNode.
/// @ingroup values
struct PersistentNodeEvent {
    /// The change.
    PersistentNodeChange change;
    /// The path of the node that was made or is gone.
    std::string node_path = {};
    /// The reason of a `not_made`. With `node_exists`, a node of another session is in the way,
    /// and this object waits until it is gone.
    error_code reason = {};
};

namespace detail {
class PersistentNodeCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const PersistentNodeCore& core);
DOCENT_EXPORT void initiate_await_node(const std::shared_ptr<PersistentNodeCore>&, CallOptions, Handler<std::string>);
DOCENT_EXPORT void initiate_node_set(const std::shared_ptr<PersistentNodeCore>&, std::string data, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_node_close(const std::shared_ptr<PersistentNodeCore>&, CallOptions, Handler<>);

/// The asynchronous operations of PersistentNode.
///
/// Lifetime: the object may be destroyed before an operation completes.
/// @ingroup values
template <typename Base, typename Default> class AsyncPersistentNode : public AsyncOf<Base> {
public:
    using AsyncOf<Base>::AsyncOf;

    /// Waits until the node is there, as PersistentNode::await_node() does.
    ///
    /// Completion signature: `void(error_code, std::string)`. Cancellation: `terminal`, `partial`
    /// and `total`. It ends the wait; the node stays.
    template <asio::completion_token_for<void(error_code, std::string)> Token = Default>
    auto async_await_node(Token&& token = Token{}) {
        return async_await_node(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, std::string)> Token = Default>
    auto async_await_node(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<std::string>(&detail::initiate_await_node, token, this->core_, std::move(call));
    }

    /// Changes the data of the node, as PersistentNode::set_data() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: `terminal` and `partial`. It ends
    /// the wait; the data is changed nevertheless.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_set_data(std::string data, Token&& token = Token{}) {
        return async_set_data(std::move(data), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_set_data(std::string data, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_node_set, token, this->core_, std::move(data), std::move(call));
    }

    /// Removes the node, as PersistentNode::close() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: `terminal` and `partial`. A
    /// cancelled call completes at once; the object is closed nevertheless.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_close(Token&& token = Token{}) {
        return async_close(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_close(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_node_close, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// A node that exists as long as this object: it is made again after the end of a session or a
/// deletion. Makes the same nodes as Curator's PersistentNode.
///
/// ```cpp
/// docent::PersistentNode node{client, "/services/web/db3", {.data = "10.0.0.3:8080"}};
/// const std::string where = node.await_node(); // starts it
/// node.set_data("10.0.0.4:8080");
/// node.close();
/// ```
///
/// If a node of another session or of another object has the path, this object waits until it is
/// gone and does not change it. A node of this object's previous session is removed. In a mode that
/// is not ephemeral, an existing node without a session is taken over and gets this object's data.
/// If another client deletes an ephemeral node and makes one in its place, that node is left alone.
///
/// **Cost.** One round trip to make the node. At the start, after each reconnect and each change,
/// one read that watches it.
///
/// Lifetime: the destructor closes the object and does not wait. Once the client is closed,
/// operations that need a server fail with `error::closed`. Thread safety: all members may be
/// called from any thread.
/// @ingroup values
class DOCENT_EXPORT PersistentNode
    : public detail::BaseOf<PersistentNode, detail::PersistentNodeCore, detail::AsyncPersistentNode> {
public:
    /// Makes the object for a node at `path`. Sends nothing; parents are made as
    /// PersistentNodeOptions::parents says.
    ///
    /// Errors: throws `error::invalid_path`, `error::corrupt_data` (the data cannot be compressed),
    /// `server_error::unimplemented` (a container, or a mode with a TTL).
    PersistentNode(Client& client, std::string_view path, PersistentNodeOptions options = {});
    /// Closes the object without waiting, see close().
    ~PersistentNode() = default;
    PersistentNode(const PersistentNode&) = delete;            ///< Not copyable.
    PersistentNode& operator=(const PersistentNode&) = delete; ///< Not copyable.

    /// The path, as it was given.
    const std::string& path() const noexcept;
    /// The path of the node, with its prefix and digits; empty while no node is known. No network.
    std::string node_path() const;
    /// The data that was set last. No network.
    std::string data() const;

    /// Makes and keeps the node from now on, without waiting. A second call does nothing. Errors:
    /// `error::closed` after close().
    void start();
    /// As above, but sets `ec` instead of throwing.
    void start(error_code& ec);

    /// Waits until the node is there with the data set last, and returns its path. Starts the
    /// object if necessary.
    ///
    /// Errors, which name the reason why the node is not there yet; the object tries again:
    /// `error::not_connected` (after `ClientConfig::connection_timeout`), `server_error::no_auth`.
    /// Also `server_error::operation_timeout` (`call.timeout` has passed) and `error::closed`. If a
    /// node of another session is in the way, the call waits.
    std::string await_node(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    std::string await_node(error_code& ec, CallOptions call = {});

    /// Changes the data of the node, now and each time the node is made again. Waits until the node
    /// has the data. Starts the object if necessary.
    ///
    /// If the wait fails, the data stays set. Errors: as await_node(), and `error::corrupt_data`
    /// (it cannot be compressed).
    void set_data(std::string_view data, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void set_data(std::string_view data, error_code& ec, CallOptions call = {});

    /// Removes the node, and keeps it no longer. A second call does nothing.
    ///
    /// The node is removed if this object made it or took it over, also if close() comes before the
    /// node is known. A node of another session stays. If there was no connection since start(),
    /// the object knows no node, and an existing node stays.
    ///
    /// The call waits until the server has confirmed the removal. If the connection breaks, it
    /// returns at once, and the client removes the node after the next connect.
    ///
    /// If the client may not read the node, it tries the removal only once, on the condition that the
    /// node has its last known version. The node may stay if the reply is lost. It stays if another
    /// client has written to it.
    void close(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void close(error_code& ec, CallOptions call = {});

    /// Calls `listener` with each change from now on, in order, one at a time. Listen before you
    /// start the object.
    ///
    /// It runs on `executor`; without `executor` on the client's executor. The Subscription ends
    /// the listening when it is destroyed.
    [[nodiscard]] Subscription listen(std::function<void(const PersistentNodeEvent&)> listener,
                                      asio::any_io_executor executor = {});

protected:
    /// For `as_default_on()`: another object for the same state.
    PersistentNode(detail::SameObject same, const PersistentNode& other)
        : AsyncPersistentNode(same, other), keeping_(other.keeping_) {}

private:
    friend struct detail::Access;
    friend class GroupMember;

    detail::ProcessOwned<void> keeping_; // closes the node with its last object
};

/// The name of the enumerator, for example "made".
/// @ingroup values
DOCENT_EXPORT std::string_view to_string(PersistentNodeChange change) noexcept;

} // namespace docent
