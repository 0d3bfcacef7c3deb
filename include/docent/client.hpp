// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/client_config.hpp>
#include <docent/create_mode.hpp>
#include <docent/detail/async_client.hpp>
#include <docent/export.hpp>
#include <docent/session_events.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/executor.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent {

namespace detail {
template <typename Executor> class ReboundClient;
} // namespace detail

/// A client of a ZooKeeper ensemble. It reconnects, starts a new session after the old one has expired, and sends requests
/// again when that is safe.
/// ```cpp
/// docent::Client zk{{.connect_string = "zk1:2181,zk2:2181,zk3:2181"}};
/// zk.start(); // returns at once; operations wait for the connection
/// zk.create("/config", "a=1");
/// docent::NodeData config = zk.get("/config");
/// zk.set("/config", "a=2", {.version = config.stat.version});
/// ```
/// **Forms.** Each operation has three forms. `name(...)` blocks and throws docent::Error. `name(..., error_code&)` blocks and
/// sets the error code. `async_name(..., token)` does not block and takes any completion token of Asio. All forms take
/// CallOptions as their last argument before the token.
///
/// **Threads.** Any thread may call all members. `Client{config}` starts a thread for the protocol. It starts a second thread
/// for the user's functions when the first such function is due. `Client{executor, config}` runs on a strand of `executor`; if
/// `executor` is a strand, then on a strand of the executor below it. Some thread must run the executor until the client is
/// closed.
///
/// **Blocking forms.**
/// - On a thread that runs the client they fail at once with `error::would_deadlock`. For a client with an executor, every
///   thread of that `io_context` or `thread_pool` runs the client.
/// - If no thread runs the client's executor, they end with `error::executor_idle` when their time is over.
/// - They are interruption points of `boost::thread`: an interruption throws `boost::thread_interrupted` from both forms.
///
/// **Completion.** An asynchronous operation completes exactly once, and never inside the function that starts it. The client
/// calls the handler on the handler's associated executor. Without one, it uses the executor that the client was given, or the
/// client's second thread. A slow handler does not delay the client's work, so it costs no lease. A waiting handler occupies
/// memory of its associated allocator.
///
/// **Cancellation.** `terminal` and `partial` end an operation at once with `operation_aborted`; a server may still apply a
/// request that was sent. `total` does the same for operations that only read or wait. For operations that write, `total` has
/// no effect after the first request was sent. `CallOptions::stop` acts as `terminal`.
///
/// **Lost replies.** If the connection breaks before a reply arrives, the client sends the request again as `retry_policy`
/// says. A repeated remove that finds no node succeeds. IfExists and IfChanged accept more cases. The client does not
/// repeat the create of a sequential node without protection: it fails with a code that equals `condition::outcome_unknown`.
///
/// **Errors of every operation.**
/// - `error::closed`: the client was closed or moved from.
/// - `error::not_connected`: no server answered in time; docent::error has the rule.
/// - `error::not_started`: start() was not called; see start().
/// - `error::invalid_path`, `error::too_large`: the client refused to send the request.
/// - `error::reply_too_large`: the reply exceeds 64 MiB, or did not arrive in a third of the session timeout, twice in a row.
/// - `error::other_process`: the process is a child of the client's process.
/// - `server_error::no_auth`: the node's ACL forbids the operation.
/// - `server_error::auth_failed`: the servers refuse the client's credentials.
/// - `error::tls_failed`: before the first connection, TLS has failed with every server; see TlsConfig.
/// - errors that equal `condition::retryable`, after the last retry.
///
/// The comment of each operation names its other errors; those without a prefix are values of server_error.
///
/// **Processes.** A client belongs to the process that created it. In a child made by `fork()`, the client and all objects made
/// with it send nothing, close nothing and hold nothing. Their destructors, close() and unlock() return at once. Members that
/// tell a state say that nothing is held, and members that only register or request something do nothing. Every other call
/// fails with `error::other_process`. Create a new client in the child. A child of `vfork()` shares its parent's memory and may
/// only call `exec` functions or `_exit()`.
///
/// **Lifetime.** A client with an executor must end before the executor's context. If the context is destroyed first, the
/// client ends its operations: it destroys their handlers without calling them, lets blocking calls fail with `error::closed`,
/// and closes the session.
/// @ingroup client
class DOCENT_EXPORT Client : public detail::AsyncClient<detail::ClientParts, asio::deferred_t> {
public:
    /// Makes a client with its own threads (see Threads above). Call start() to connect.
    explicit Client(ClientConfig config = {});
    /// Makes a client that runs on `executor`, any executor of Asio. Call start() to connect.
    template <typename Executor>
    requires asio::execution::is_executor<Executor>::value Client(Executor executor, ClientConfig config = {})
        : Client(Role::owner, asio::any_io_executor(std::move(executor)), std::move(config)) {}

    /// Closes the client, as close() does; the destructor of a view closes nothing.
    ///
    /// The destructor of a client without an executor also waits until the second thread has called all handlers that are due,
    /// and until both threads have ended; but not for a thread that views, recipes or leases still need, or that itself
    /// destroys the client.
    ~Client();

    /// Returns a view: a client that shares this session, but has another namespace.
    ///
    /// `name` replaces `ClientConfig::name_space`: with `app` or `/app`, the path `/a` is the node `/app/a`; with an empty
    /// name, paths have no namespace. Results, events and errors have paths without the namespace. The view shares session,
    /// threads and configuration. It may outlive this client. Calling close() on either, or destroying the client, closes the
    /// session for both.
    ///
    /// Errors: throws `error::invalid_config` for a bad name, `error::closed` after a move, `error::other_process`.
    [[nodiscard]] Client in_namespace(std::string_view name) const;
    /// Returns the namespace of this client or view, without the chroot and without a leading slash; empty if there is none.
    const std::string& name_space() const noexcept { return name_space_; }

    /// Takes the client of another object. That object is then closed: its calls fail with `error::closed`.
    Client(Client&&) noexcept = default;
    /// Closes this client as the destructor does, and takes the client of another object.
    Client& operator=(Client&& other) noexcept;

    /// The type of executor on which the client calls handlers.
    using executor_type = asio::any_io_executor;
    /// Returns the executor on which the client calls handlers without an executor, listeners and tracers.
    ///
    /// Returns an empty executor after a move.
    executor_type get_executor() const;
    /// Names the class with the default token of `Executor`, for Asio's `as_default_on()`.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        /// A Client whose asynchronous operations use the default token of `Executor`.
        using other = detail::Rebound<detail::ReboundClient<Executor>, Executor>;
    };

    /// Starts to connect, and returns at once.
    ///
    /// An asynchronous operation may begin before start(): it waits for the connection. If start() is still missing when its
    /// time is over, the error is `error::not_started`. A blocking operation before start() would wait in vain, so it fails at
    /// once with `error::not_started`. This applies to views and recipes as well. What needs no server works: closing an
    /// object, and SessionEvents::next().
    ///
    /// Errors: `error::invalid_config`, with a message that names the field; `error::closed` after close();
    /// `error::other_process`.
    void start();

    /// Closes the session and ends all operations.
    ///
    /// 1. Leases are lost: their stop tokens fire before a server can give the lock to another client.
    /// 2. New operations fail with `error::closed`.
    /// 3. The client waits at most one second for replies to requests that were sent. An operation completes with its reply if
    ///    that arrives in time, otherwise with `error::closed`.
    /// 4. The client closes the session, so that its ephemeral nodes end at once. If it can reach no server, they remain until
    ///    the session timeout has passed.
    ///
    /// Step 4 blocks the client's executor for one round trip, or up to 4.5 s if the server is silent: the C client has no
    /// other way. A client without an executor waits for the end of step 4, and until its tracer has all events. A client on an
    /// executor, and a call on a thread that runs the client, only schedule the steps. close() may be called again. On a view
    /// it closes the client of the view.
    void close();

    /// Waits until a server has answered, for at most `call.timeout`, or else `ClientConfig::connection_timeout`.
    ///
    /// Errors: `error::not_connected`, `error::not_started`, `error::tls_failed`, `server_error::auth_failed`. The exception's
    /// text names the servers and the reason of the last failure.
    void wait_connected(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void wait_connected(error_code& ec, CallOptions call = {});

    /// Ends the session, with its leases and watches, and begins another: the events are `lost`, then `connected`.
    ///
    /// Returns at once. The ephemeral nodes of the session end at once if a server can be told, otherwise when the session
    /// timeout has passed. Use it in tests, or to give up everything that the session holds.
    void renew_session();

    /// Returns the last event of the session. After a move its state is `closed`.
    SessionEvent session() const;
    /// Returns the session timeout that the server granted; before the first connection, the configured one.
    std::chrono::milliseconds negotiated_timeout() const;
    /// Returns a sentence that says why the client has no connection; empty if no attempt has failed since the last connection.
    std::string last_connect_error() const;

    /// Returns a stream of all events of the session from now on; the first event is the present state.
    SessionEvents session_events();
    /// Calls `listener` with each event of the session from now on, in order, one call at a time.
    ///
    /// The present state is not an event. The calls run on `executor`; if it is empty, on get_executor(). Destroy the
    /// Subscription to stop the calls.
    [[nodiscard]] Subscription listen(std::function<void(const SessionEvent&)> listener, asio::any_io_executor executor = {});

    /// Creates a node; without `data` its data is `ClientConfig::default_data`.
    ///
    /// With `Protection::protected_` the client resolves a lost reply. If the call ends before the outcome is certain, the
    /// client removes the node in the background.
    ///
    /// Errors:
    /// - `node_exists`: see CreateOptions::if_exists.
    /// - `no_node`: a parent is missing; see CreateOptions::parents.
    /// - `no_children_for_ephemerals`: the parent is ephemeral.
    /// - `invalid_acl`: the servers refuse the ACL.
    /// - `bad_arguments`: a mode with TTL and no TTL.
    /// - `unimplemented`: the server has no containers, or TTL nodes are not enabled.
    /// - `bad_version`: see CreateOptions::set_version.
    /// - `error::corrupt_data`: the data could not be compressed.
    Created create(std::string_view path, std::optional<std::string_view> data = {}, CreateOptions options = {},
                   CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    Created create(std::string_view path, std::optional<std::string_view> data, CreateOptions options, error_code& ec,
                   CallOptions call = {});
    /// As above, with default options; sets `ec` instead of throwing.
    Created create(std::string_view path, std::optional<std::string_view> data, error_code& ec, CallOptions call = {});
    /// As above, with default data and options; sets `ec` instead of throwing.
    Created create(std::string_view path, error_code& ec, CallOptions call = {});
    /// As above, with default data: `create(path, {.mode = ...})`.
    Created create(std::string_view path, CreateOptions options, CallOptions call = {});
    /// As above, with default data; sets `ec` instead of throwing.
    Created create(std::string_view path, CreateOptions options, error_code& ec, CallOptions call = {});
    /// As above, with a mode as the only option: `create(path, data, CreateMode::ephemeral)`.
    Created create(std::string_view path, std::optional<std::string_view> data, CreateMode mode, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    Created create(std::string_view path, std::optional<std::string_view> data, CreateMode mode, error_code& ec,
                   CallOptions call = {});

    /// Reads a node's data and metadata.
    ///
    /// Errors: `no_node`; `error::corrupt_data` (the data could not be decompressed).
    NodeData get(std::string_view path, GetOptions options = {}, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    NodeData get(std::string_view path, GetOptions options, error_code& ec, CallOptions call = {});
    /// As above, with default options; sets `ec` instead of throwing.
    NodeData get(std::string_view path, error_code& ec, CallOptions call = {});

    /// Reads a node's data and sets a watch, which fires when the data changes or the node is deleted.
    ///
    /// Errors: as get(), and `error::too_many_watches`. After an error there is no watch.
    Watched<NodeData> get_watched(std::string_view path, GetOptions options = {}, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    Watched<NodeData> get_watched(std::string_view path, GetOptions options, error_code& ec, CallOptions call = {});
    /// As above, with default options; sets `ec` instead of throwing.
    Watched<NodeData> get_watched(std::string_view path, error_code& ec, CallOptions call = {});

    /// Replaces a node's data and returns the new metadata.
    ///
    /// Errors: `no_node`; `bad_version`; `error::corrupt_data` (the data could not be compressed). If a reply was lost,
    /// `bad_version` can result from the first try of this call; see IfChanged::accept_same.
    Stat set(std::string_view path, std::string_view data, SetOptions options = {}, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    Stat set(std::string_view path, std::string_view data, SetOptions options, error_code& ec, CallOptions call = {});
    /// As above, with default options; sets `ec` instead of throwing.
    Stat set(std::string_view path, std::string_view data, error_code& ec, CallOptions call = {});
    /// As above, with the version that the node must have as the only option.
    template <std::same_as<std::int32_t> Version>
    Stat set(std::string_view path, std::string_view data, Version version, CallOptions call = {}) {
        return set(path, data, SetOptions{.version = version}, std::move(call));
    }
    /// As above, but sets `ec` instead of throwing.
    template <std::same_as<std::int32_t> Version>
    Stat set(std::string_view path, std::string_view data, Version version, error_code& ec, CallOptions call = {}) {
        return set(path, data, SetOptions{.version = version}, ec, std::move(call));
    }

    /// Removes a node.
    ///
    /// Errors: `no_node`; `bad_version`; `not_empty`. With RemoveChildren::yes, `not_empty` means that other clients create new
    /// children again and again. A call with RemoveChildren::yes that fails may have removed some nodes.
    void remove(std::string_view path, RemoveOptions options = {}, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void remove(std::string_view path, RemoveOptions options, error_code& ec, CallOptions call = {});
    /// As above, with default options; sets `ec` instead of throwing.
    void remove(std::string_view path, error_code& ec, CallOptions call = {});

    /// Removes a node in the background, whatever its version; returns at once and reports no error.
    ///
    /// The client tries on each connection and with each heartbeat, until a server has answered or the client is closed. A node
    /// with children, or with an ACL that forbids the removal, remains.
    void remove_guaranteed(std::string_view path);

    /// Returns a node's metadata; nothing if the node does not exist.
    std::optional<Stat> exists(std::string_view path, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    std::optional<Stat> exists(std::string_view path, error_code& ec, CallOptions call = {});

    /// Returns a node's metadata and sets a watch, which fires when the node is created, changed or deleted.
    ///
    /// Errors: `error::too_many_watches`.
    Watched<std::optional<Stat>> exists_watched(std::string_view path, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    Watched<std::optional<Stat>> exists_watched(std::string_view path, error_code& ec, CallOptions call = {});

    /// Returns the names of a node's children and the node's metadata.
    ///
    /// Errors: `no_node`.
    Children children(std::string_view path, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    Children children(std::string_view path, error_code& ec, CallOptions call = {});

    /// Returns the names of a node's children and sets a watch.
    ///
    /// The watch fires when a child is created or deleted, or when the node itself is deleted.
    ///
    /// Errors: `no_node`, `error::too_many_watches`. After an error there is no watch.
    Watched<Children> children_watched(std::string_view path, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    Watched<Children> children_watched(std::string_view path, error_code& ec, CallOptions call = {});

    /// Returns a node's ACL and metadata.
    ///
    /// Errors: `no_node`, `no_auth`.
    NodeAcl get_acl(std::string_view path, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    NodeAcl get_acl(std::string_view path, error_code& ec, CallOptions call = {});

    /// Replaces a node's ACL, on the condition that Stat::aversion is `version`.
    ///
    /// Returns the metadata that the client reads afterwards. The Stat is all zeros if that read fails, for example because the
    /// new ACL takes READ and ADMIN from the caller.
    ///
    /// Errors: `no_node`, `bad_version`, `invalid_acl`, `no_auth`. If a reply was lost, `bad_version` can result from the first
    /// try of this call.
    Stat set_acl(std::string_view path, Acl acl, std::int32_t version = any_version, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    Stat set_acl(std::string_view path, Acl acl, std::int32_t version, error_code& ec, CallOptions call = {});
    /// As above, for any version; sets `ec` instead of throwing.
    Stat set_acl(std::string_view path, Acl acl, error_code& ec, CallOptions call = {});

    /// Returns the configuration of the ensemble: the data of `/zookeeper/config`, whatever chroot and namespace are.
    ///
    /// The data is empty if the server belongs to no ensemble.
    NodeData ensemble_config(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    NodeData ensemble_config(error_code& ec, CallOptions call = {});
    /// Returns the configuration of the ensemble and sets a watch, which fires when the configuration changes.
    Watched<NodeData> ensemble_config_watched(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    Watched<NodeData> ensemble_config_watched(error_code& ec, CallOptions call = {});

    /// Changes the ensemble and returns its new configuration.
    ///
    /// The servers must have `reconfigEnabled`, and the client needs permission to write `/zookeeper/config`. The client does
    /// not repeat the request after a lost reply.
    ///
    /// Errors: `no_auth`, `bad_version`, `bad_arguments`, `reconfig_disabled`, `reconfig_in_progress`, `new_config_no_quorum`,
    /// `unimplemented` (the server belongs to no ensemble).
    NodeData reconfigure(Reconfiguration change, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    NodeData reconfigure(Reconfiguration change, error_code& ec, CallOptions call = {});

    /// Waits until the client's server has applied all writes that the ensemble had committed before the call.
    ///
    /// Later reads of this client see those writes. Without sync() a read may return older data.
    void sync(std::string_view path = "/", CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void sync(std::string_view path, error_code& ec, CallOptions call = {});
    /// As above, for the root; sets `ec` instead of throwing.
    void sync(error_code& ec, CallOptions call = {});

    /// Applies all operations of a transaction, or none. An empty transaction succeeds.
    ///
    /// The exception is a TransactionError: its `result()` names the operation that failed. The `error_code&` form sets the
    /// error of that operation and returns the same result.
    ///
    /// After a lost reply the client does not repeat the transaction: the error equals `condition::outcome_unknown` and the
    /// result is empty. With Transaction::exactly_once() the client finds the outcome.
    ///
    /// Errors: errors of the operations; `error::lease_lost` (a guard's node does not exist; nothing was applied);
    /// `error::lease_released` (the same, because the guard's lease was released);
    /// `unimplemented` (a container or TTL mode); `error::corrupt_data` (data could not be compressed).
    TransactionResult commit(const Transaction& transaction, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    TransactionResult commit(const Transaction& transaction, error_code& ec, CallOptions call = {});

private:
    friend struct detail::Access;
    enum class Role { owner, view };
    Client(Role role, asio::any_io_executor executor, ClientConfig config);
    Client(detail::RuntimePtr core, Role role);
    Client(detail::RuntimePtr core, std::string name_space, Role role);

    Role role_ = Role::owner;
};

/// A Client with another default token. The objects that it makes have the same default token.
template <typename Executor> class detail::ReboundClient : public detail::AsyncClient<Client, detail::DefaultToken<Executor>> {
    using Face = detail::AsyncClient<Client, detail::DefaultToken<Executor>>;

public:
    using Face::Face;

    /// As Client::in_namespace, with the same default token.
    [[nodiscard]] auto in_namespace(std::string_view name) const {
        return typename Client::rebind_executor<Executor>::other(Client::in_namespace(name));
    }
    /// As Client::session_events, with the same default token.
    auto session_events() { return typename SessionEvents::rebind_executor<Executor>::other(Client::session_events()); }
};

} // namespace docent
