// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <boost/system/error_code.hpp>
#include <boost/system/error_condition.hpp>
#include <boost/system/system_error.hpp>

#include <string>
#include <type_traits>

namespace docent {

/// The type of all error codes of docent: Boost's error code.
/// @ingroup errors
using boost::system::error_code;
/// The type of docent::condition when it is compared with an error code: Boost's error condition.
/// @ingroup errors
using boost::system::error_condition;

/// ZooKeeper's error numbers (`KeeperException.Code`), as a server or the C client reports them.
/// @ingroup errors
enum class server_error {
    system_error = -1,                       ///< The C client failed, for example for lack of memory.
    runtime_inconsistency = -2,              ///< The C client dropped the connection because replies were out of step.
    data_inconsistency = -3,                 ///< Data is inconsistent.
    connection_loss = -4,                    ///< The connection broke before the reply arrived.
    marshalling_error = -5,                  ///< A request or reply could not be encoded or decoded.
    unimplemented = -6,                      ///< The server does not have the operation, or has not enabled it.
    operation_timeout = -7,                  ///< No answer arrived in time.
    bad_arguments = -8,                      ///< An argument is invalid.
    invalid_state = -9,                      ///< The C client is in a state that does not allow the request.
    unknown_session = -12,                   ///< The server does not know the session.
    new_config_no_quorum = -13,              ///< No quorum of the new configuration is connected.
    reconfig_in_progress = -14,              ///< Another reconfiguration is in progress.
    api_error = -100,                        ///< Marks the start of the API errors; servers do not send it.
    no_node = -101,                          ///< The node does not exist.
    no_auth = -102,                          ///< The node's ACL does not permit the operation.
    bad_version = -103,                      ///< The node has a version other than the required one.
    no_children_for_ephemerals = -108,       ///< The parent is ephemeral and cannot have children.
    node_exists = -110,                      ///< The node exists already.
    not_empty = -111,                        ///< The node has children.
    session_expired = -112,                  ///< The session has expired.
    invalid_callback = -113,                 ///< The C client was given an invalid callback.
    invalid_acl = -114,                      ///< The ACL is invalid or empty.
    auth_failed = -115,                      ///< The server refused the credentials.
    closing = -116,                          ///< The C client is closing.
    nothing = -117,                          ///< The C client has nothing to do.
    session_moved = -118,                    ///< The session has moved to another server.
    not_read_only = -119,                    ///< The server is read-only and refuses writes.
    ephemeral_on_local_session = -120,       ///< A local session cannot create ephemeral nodes.
    no_watcher = -121,                       ///< The watcher to remove does not exist.
    reconfig_disabled = -123,                ///< Reconfiguration is disabled on the server.
    session_closed_require_sasl_auth = -124, ///< The server requires SASL authentication and closed the session.
    quota_exceeded = -125,                   ///< The write would exceed a quota.
    throttled = -127,                        ///< The server is overloaded and dropped the request.
};

/// The errors of docent itself.
///
/// **When time is over.** The time of a call is over when `CallOptions::timeout`, the time of a `try_..._for` call or
/// `ClientConfig::connection_timeout` has passed. Then one rule decides the error of every call. The first case that applies
/// counts:
/// 1. The call waits for news from the client alone: a watch, a session event, or the loss of a lease. The error is
///    `server_error::operation_timeout`.
/// 2. The call has sent a request that may have been applied. The error is `server_error::operation_timeout`.
/// 3. The client has no connection at that moment. The error is `error::not_connected`, or `error::not_started` before
///    Client::start().
/// 4. The call waits for a lock, permits or leadership. The error is `error::not_acquired`.
/// 5. Otherwise the error is `server_error::operation_timeout`.
///
/// A change of a DistributedAtomicValue or DistributedAtomicLong that was tried and certainly not applied is no error: it
/// completes without success.
/// ```cpp
/// docent::error_code ec = docent::error::not_acquired;
/// bool locked_elsewhere = ec == docent::error::not_acquired;
/// bool try_again = ec == docent::condition::retryable;
/// ```
/// @ingroup errors
enum class error {
    closed = 1,        ///< The client was closed.
    not_connected,     ///< No server answered in the time of the call; no request of the call has an effect.
    lease_lost = 4,    ///< The lease has ended: its session or its time ended, or its node was deleted.
    lock_node_deleted, ///< Another client deleted this waiter's queue node.
    not_acquired,      ///< Servers answer, but the lock was not free within the time of the call.
    would_deadlock,    ///< The call would wait for itself: for its thread, which runs the client or already holds the lock.
    not_owner,         ///< The calling thread does not hold the lock.
    invalid_path,      ///< The path is not a valid node path (check_path()).
    too_large,         ///< The request is larger than a server accepts (`jute.maxbuffer`, 1 MiB, less 1 KiB).
    too_many_watches,  ///< The client has no room for another watched path: the paths must fit into 900 kB.
    not_applied,       ///< The transaction was rejected because of another operation in it.
    corrupt_data,      ///< The data could not be decompressed, or could not be compressed.
    invalid_config,    ///< A field of the configuration has an unusable value.
    numbers_used_up,   ///< The lock's node has used all 2147483647 sequence numbers and must be created anew.
    executor_idle,     ///< No thread runs the client's executor (`io_context::run()`), so the blocking call cannot proceed.
    reply_too_large,   ///< The reply exceeds 64 MiB, or does not arrive in time; message() names its size.
    other_process,     ///< This process is a child of the client's process. Create a new client after `fork()`.
    not_started,       ///< start() was not called: of the client, or of the SharedCount that limits a semaphore.
    lease_released,    ///< The lease was released by its holder, or the Lease object is empty: a guard of a transaction.
    tls_failed,        ///< TLS fails with every server, so waiting is useless; Client::last_connect_error() says why.
};

/// Questions about an error code that callers ask: `if (ec == condition::retryable)`.
/// @ingroup errors
enum class condition {
    /// The same request may succeed when it is sent again.
    ///
    /// Equal codes: `connection_loss`, `operation_timeout`, `runtime_inconsistency`, `session_moved`, `throttled`,
    /// `error::not_connected`.
    retryable = 1,
    /// The request may or may not have been applied.
    ///
    /// Equal codes: `connection_loss`, `operation_timeout`, `runtime_inconsistency`, `session_expired`, `auth_failed`,
    /// `closing`, `error::executor_idle`.
    outcome_unknown,
    /// The session has ended, and its ephemeral nodes with it.
    ///
    /// Equal codes: `session_expired`, `auth_failed`, `unknown_session`, `error::lease_lost`.
    session_ended,
};

/// Returns the category of server_error, with the name `zookeeper`. Its id is fixed: the categories of two copies of this
/// library in one program are equal.
/// @ingroup errors
DOCENT_EXPORT const boost::system::error_category& server_category() noexcept;
/// Returns the category of docent::error, with the name `docent`. Its id is fixed, as for server_category().
/// @ingroup errors
DOCENT_EXPORT const boost::system::error_category& docent_category() noexcept;
/// Returns the category of docent::condition, with the name `docent.condition`. Its id is fixed, as for server_category().
/// @ingroup errors
DOCENT_EXPORT const boost::system::error_category& condition_category() noexcept;

/// Converts ZooKeeper's error to an error code.
/// @ingroup errors
DOCENT_EXPORT error_code make_error_code(server_error e) noexcept;
/// Converts docent's error to an error code.
/// @ingroup errors
DOCENT_EXPORT error_code make_error_code(error e) noexcept;
/// Converts a condition to an error condition, which compares with error codes.
/// @ingroup errors
DOCENT_EXPORT error_condition make_error_condition(condition c) noexcept;

/// The exception of all throwing overloads.
/// ```cpp
/// try {
///     client.get("/config");
/// } catch (const docent::Error& failure) {
///     if (failure.code() != docent::server_error::no_node) throw;
/// }
/// ```
/// `code()` is the code that the `error_code&` overload would set. `what()` also names the operation and the path.
/// @ingroup errors
class DOCENT_EXPORT Error : public boost::system::system_error {
public:
    using system_error::system_error;
};

} // namespace docent

template <> struct boost::system::is_error_code_enum<docent::server_error> : std::true_type {};
template <> struct boost::system::is_error_code_enum<docent::error> : std::true_type {};
template <> struct boost::system::is_error_condition_enum<docent::condition> : std::true_type {};
