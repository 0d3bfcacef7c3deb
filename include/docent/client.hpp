// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/client_config.hpp>
#include <docent/create_mode.hpp>
#include <docent/detail/async_client.hpp>
#include <docent/export.hpp>
#include <docent/session_events.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
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

/// A client of a ZooKeeper ensemble that survives real networks: it reconnects, makes a new session after an expiry, and
/// tries again what can be tried again.
///
/// **Threads.** `Client{config}` runs on a thread of its own, and calls users' functions on a second one, which begins when it
/// is first needed; `Client{executor, config}` runs on a strand of the executor that it is given (of the one below it, if that
/// is a strand itself), which must keep running until the client is closed. All members may be called from any thread.
///
/// **Forms.** Each operation exists three times: `name(...)` throws `docent::Error`; `name(..., error_code&)` does not;
/// `async_name(..., token)` (docent/detail/async_client.hpp) takes any completion token. Blocking forms are interruption points
/// of `boost::thread` (an interruption throws `boost::thread_interrupted` from both forms) and fail with
/// `error::would_deadlock` at once on a thread that runs the client: of an `io_context` or `thread_pool` that it was given,
/// any.
///
/// **Completion.** Asynchronous operations complete exactly once, never inside the initiating call, through the handler's
/// associated executor; by default the one that the client was given, or its second thread. They never run where the client
/// does its own work: a slow handler costs no lease. A waiting handler uses memory of its associated allocator. Cancellation,
/// `terminal` or `partial`, completes at once with `operation_aborted`; a request that was already sent may still be applied.
/// `total` does it for reads and waits, and for what writes until its first request is sent; then it is not heard.
///
/// **Processes.** A client belongs to the process that has made it. In a child made by `fork()` its copy, and the copies of all
/// that was made with it, send nothing, close nothing and wait for nothing: destructors and close() do nothing, any other call
/// fails at once with `error::other_process`, nothing is held. Make a new client in the child. The one exception is a child
/// that shares the memory of its parent (`vfork()`), which may only execute another program or call `_exit()`.
///
/// **Context.** When the context of the executor is destroyed, what is under way ends: its handlers are destroyed and not
/// called, blocking calls fail with `error::closed`, and the session is closed as by close(). Objects of docent must end before
/// it does.
///
/// **Lost replies.** When the connection breaks after a request was sent, the request is sent again as `retry_policy` says.
/// A remove that then finds nothing has succeeded; the options say what else counts as success. A sequential create without
/// protection is not repeated: it fails with a code that equals `condition::outcome_unknown`. Errors of every operation:
/// `error::closed`, `error::other_process`, `error::not_connected`, `error::invalid_path`, `error::too_large`,
/// `server_error::no_auth`, those named at the operation, and retryable ones when the policy gave up.
class DOCENT_EXPORT Client : public detail::AsyncClient<detail::ClientParts, asio::deferred_t> {
public:
    explicit Client(ClientConfig config = {});
    Client(asio::any_io_executor executor, ClientConfig config = {});

    /// As close(); that of a view closes nothing. A client with a thread of its own waits for the end (normally one round trip,
    /// a few seconds at most when the server falls silent); one on an executor only schedules it.
    ~Client();

    /// A view of this client whose paths get another prefix in place of `ClientConfig::name_space`: with `app`, `/a` is
    /// `/app/a`; with an empty name there is none. It shares session, thread and configuration, and may outlive the client,
    /// which however closes the session for both. Its results, events and errors have paths without the prefix. Errors: throws
    /// `error::invalid_config`.
    [[nodiscard]] Client in_namespace(std::string_view name) const;
    /// The namespace of this client or view, without chroot; empty if there is none.
    const std::string& name_space() const noexcept { return name_space_; }

    Client(Client&&) noexcept = default;        ///< What was moved from is a closed client: `error::closed`.
    Client& operator=(Client&& other) noexcept; ///< First what it was ends as in the destructor.

    /// Where handlers without an executor of their own are called, listeners and tracers too.
    using executor_type = asio::any_io_executor;
    /// Empty after it was moved from.
    executor_type get_executor() const;
    /// For `as_default_on()` of Asio's tokens: a client, constructible from this one, whose operations take another token where
    /// none is given.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::ReboundClient<Executor>, Executor>;
    };

    /// Starts connecting; returns at once. Operations may be called at once too: they wait for the connection.
    /// Errors: `error::invalid_config`, with a message that names the field; `error::closed` after close();
    /// `error::other_process`.
    void start();

    /// Refuses new operations, awaits the answers to requests that are on their way (a second at most), ends what is
    /// outstanding then with `error::closed`, each operation exactly once, and closes the session, so that its ephemeral nodes
    /// go at once if a server can be told. The last step blocks the client's executor for one round trip, up to 4.5 s if the
    /// server is silent: the C client has no other way. May be called again; of a view it closes the client that it is a view
    /// of. Called on a thread that runs the client it only schedules.
    void close();

    /// Waits until a server has answered. Without `call.timeout` it waits `ClientConfig::connection_timeout`.
    /// Errors: `error::not_connected` (the exception's text says which servers were tried, and why they failed).
    void wait_connected(CallOptions call = {});
    void wait_connected(error_code& ec, CallOptions call = {});

    /// Ends the session, with its leases and watches, and begins another: `lost`, then `connected`. Its ephemeral nodes go at
    /// once if a server can be told, else when the session times out there. Returns at once. For tests, and for those who no
    /// longer trust what they hold.
    void renew_session();

    /// The last event of the session.
    SessionEvent session() const;
    /// The session timeout that the server has granted; what was asked for before that.
    std::chrono::milliseconds negotiated_timeout() const;
    /// Why the last attempt to connect failed, in words; empty when there was none.
    std::string last_connect_error() const;

    /// All events of the session from now on, the current state first.
    SessionEvents session_events();
    /// Calls `listener` with each event of the session from now on (not with the current state), in order, one at a time, on
    /// `executor`; if it is empty, where handlers without one are called.
    [[nodiscard]] Subscription listen(std::function<void(const SessionEvent&)> listener, asio::any_io_executor executor = {});

    /// Makes a node. Without data it gets `ClientConfig::default_data`.
    /// Errors: `node_exists`, `no_node` (a parent is missing), `no_children_for_ephemerals`, `invalid_acl`, `unimplemented`
    /// (TTL not enabled on the server). With protection, lost replies are resolved; while they cannot be, and when the caller
    /// gives up meanwhile, the node is removed in the background.
    Created create(std::string_view path, std::optional<std::string_view> data = {}, CreateOptions options = {},
                   CallOptions call = {});
    Created create(std::string_view path, std::optional<std::string_view> data, CreateOptions options, error_code& ec,
                   CallOptions call = {});
    Created create(std::string_view path, std::optional<std::string_view> data, error_code& ec, CallOptions call = {});
    Created create(std::string_view path, error_code& ec, CallOptions call = {});

    /// Reads a node's data. Errors: `no_node`, `error::corrupt_data` (it is not compressed, but should be).
    NodeData get(std::string_view path, GetOptions options = {}, CallOptions call = {});
    NodeData get(std::string_view path, GetOptions options, error_code& ec, CallOptions call = {});
    NodeData get(std::string_view path, error_code& ec, CallOptions call = {});

    /// Reads a node's data and watches it: fires when the data changes or the node is deleted. Errors: as get(); after
    /// `no_node` nothing is watched; `error::too_many_watches`.
    Watched<NodeData> get_watched(std::string_view path, GetOptions options = {}, CallOptions call = {});
    Watched<NodeData> get_watched(std::string_view path, GetOptions options, error_code& ec, CallOptions call = {});
    Watched<NodeData> get_watched(std::string_view path, error_code& ec, CallOptions call = {});

    /// Replaces a node's data. Errors: `no_node`, `bad_version`. When a reply was lost and the request repeated, `bad_version`
    /// may be due to the first one: see IfChanged.
    Stat set(std::string_view path, std::string_view data, SetOptions options = {}, CallOptions call = {});
    Stat set(std::string_view path, std::string_view data, SetOptions options, error_code& ec, CallOptions call = {});
    Stat set(std::string_view path, std::string_view data, error_code& ec, CallOptions call = {});

    /// Removes a node. Errors: `no_node`, `bad_version`, `not_empty` (with RemoveChildren::yes: somebody makes new children
    /// again and again). A remove with children that fails may have removed some of them.
    void remove(std::string_view path, RemoveOptions options = {}, CallOptions call = {});
    void remove(std::string_view path, RemoveOptions options, error_code& ec, CallOptions call = {});
    void remove(std::string_view path, error_code& ec, CallOptions call = {});

    /// Removes a node in the background, whatever its version, until that is certain: through disconnections, until the
    /// client is closed. Never fails; a node that is not there, not empty or not allowed to be removed is left.
    void remove_guaranteed(std::string_view path);

    /// A node's metadata, or nothing if there is no such node.
    std::optional<Stat> exists(std::string_view path, CallOptions call = {});
    std::optional<Stat> exists(std::string_view path, error_code& ec, CallOptions call = {});

    /// The same, watching: fires when the node is made, changed or deleted. Errors: `error::too_many_watches`.
    Watched<std::optional<Stat>> exists_watched(std::string_view path, CallOptions call = {});
    Watched<std::optional<Stat>> exists_watched(std::string_view path, error_code& ec, CallOptions call = {});

    /// A node's children. Errors: `no_node`.
    Children children(std::string_view path, CallOptions call = {});
    Children children(std::string_view path, error_code& ec, CallOptions call = {});

    /// The same, watching: fires when a child is made or deleted, or the node itself is deleted. Errors: `no_node` (then
    /// nothing is watched), `error::too_many_watches`.
    Watched<Children> children_watched(std::string_view path, CallOptions call = {});
    Watched<Children> children_watched(std::string_view path, error_code& ec, CallOptions call = {});

    /// Reads a node's ACL. Errors: `no_node`, `no_auth`.
    NodeAcl get_acl(std::string_view path, CallOptions call = {});
    NodeAcl get_acl(std::string_view path, error_code& ec, CallOptions call = {});

    /// Replaces a node's ACL if that still has this version (Stat::aversion). Returns the metadata read right afterwards: a
    /// Stat of zeros if it could not be read, for instance because the new ACL takes READ and ADMIN from the caller. Errors:
    /// `no_node`, `bad_version`, `invalid_acl`, `no_auth`.
    Stat set_acl(std::string_view path, Acl acl, std::int32_t version = any_version, CallOptions call = {});
    Stat set_acl(std::string_view path, Acl acl, std::int32_t version, error_code& ec, CallOptions call = {});
    Stat set_acl(std::string_view path, Acl acl, error_code& ec, CallOptions call = {});

    /// The configuration of the ensemble: the node `/zookeeper/config`, whatever chroot and namespace are. Empty on a server
    /// without an ensemble.
    NodeData ensemble_config(CallOptions call = {});
    NodeData ensemble_config(error_code& ec, CallOptions call = {});
    /// The same, watching: fires when it changes.
    Watched<NodeData> ensemble_config_watched(CallOptions call = {});
    Watched<NodeData> ensemble_config_watched(error_code& ec, CallOptions call = {});

    /// Changes the ensemble and returns its new configuration. Servers must allow it (`reconfigEnabled`), and the client must
    /// be allowed to write `/zookeeper/config`. Errors: `no_auth`, `bad_version`, `bad_arguments`, `reconfig_disabled`,
    /// `reconfig_in_progress`, `new_config_no_quorum`, `unimplemented` (a server without an ensemble). Not sent again after
    /// a lost reply.
    NodeData reconfigure(Reconfiguration change, CallOptions call = {});
    NodeData reconfigure(Reconfiguration change, error_code& ec, CallOptions call = {});

    /// Waits until the server that this client is connected to has seen every write that was applied before.
    void sync(std::string_view path = "/", CallOptions call = {});
    void sync(std::string_view path, error_code& ec, CallOptions call = {});
    void sync(error_code& ec, CallOptions call = {});

    /// Applies all operations of a transaction, or none. An empty transaction succeeds.
    ///
    /// A rejected transaction is a TransactionError, whose `result()` names the operation that failed; the `error_code` forms
    /// give that operation's error and the result. Errors: those of the operations; `error::lease_lost` (a guard's node is
    /// gone; nothing was applied); `server_error::unimplemented` (a container, or a TTL).
    ///
    /// It is not sent again after a lost reply: the error then equals `condition::outcome_unknown`, and the result is empty.
    /// With Transaction::exactly_once() the outcome is found out instead.
    TransactionResult commit(const Transaction& transaction, CallOptions call = {});
    TransactionResult commit(const Transaction& transaction, error_code& ec, CallOptions call = {});

private:
    friend struct detail::Access;
    enum class Role { owner, view };
    Client(detail::RuntimePtr core, Role role);
    Client(detail::RuntimePtr core, std::string name_space, Role role);

    Role role_ = Role::owner;
};

/// What a rebound client makes is rebound, too.
template <typename Executor> class detail::ReboundClient : public detail::AsyncClient<Client, detail::DefaultToken<Executor>> {
    using Face = detail::AsyncClient<Client, detail::DefaultToken<Executor>>;

public:
    using Face::Face;

    [[nodiscard]] auto in_namespace(std::string_view name) const {
        return typename Client::rebind_executor<Executor>::other(Client::in_namespace(name));
    }
    auto session_events() { return typename SessionEvents::rebind_executor<Executor>::other(Client::session_events()); }
};

} // namespace docent
