// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <boost/system/error_code.hpp>
#include <boost/system/error_condition.hpp>
#include <boost/system/system_error.hpp>

#include <string>
#include <type_traits>

namespace docent {

using boost::system::error_code;
using boost::system::error_condition;

/// ZooKeeper's own error numbers (KeeperException.Code), as the server or the C client reports them.
enum class server_error {
    system_error = -1,
    runtime_inconsistency = -2,
    data_inconsistency = -3,
    connection_loss = -4,
    marshalling_error = -5,
    unimplemented = -6,
    operation_timeout = -7,
    bad_arguments = -8,
    invalid_state = -9,
    unknown_session = -12,
    new_config_no_quorum = -13,
    reconfig_in_progress = -14,
    api_error = -100,
    no_node = -101,
    no_auth = -102,
    bad_version = -103,
    no_children_for_ephemerals = -108,
    node_exists = -110,
    not_empty = -111,
    session_expired = -112,
    invalid_callback = -113,
    invalid_acl = -114,
    auth_failed = -115,
    closing = -116,
    nothing = -117,
    session_moved = -118,
    not_read_only = -119,
    ephemeral_on_local_session = -120,
    no_watcher = -121,
    reconfig_disabled = -123,
    session_closed_require_sasl_auth = -124,
    quota_exceeded = -125,
    throttled = -127,
};

/// Errors of docent itself.
///
/// When the time of a call is over (`CallOptions::timeout`, the time of a try, `ClientConfig::connection_timeout`), one rule
/// decides the error, whatever the call: `server_error::operation_timeout` if something that it sent may have been applied;
/// else `not_connected` if the client has no connection at that moment; else `not_acquired` if it waited for a lock, and
/// `server_error::operation_timeout` if it did not. Calls that wait for news of the client alone (a watch, session events, the
/// loss of a lease) need no server: `server_error::operation_timeout`.
enum class error {
    closed = 1,        ///< The client was closed.
    not_connected,     ///< No server answers, and the time of the call is over; nothing that was sent has had an effect.
    session_lost,      ///< The session that the claim was made in has ended.
    lease_lost,        ///< The lock is not held any more: its session or its time is over, or its node was deleted.
    lock_node_deleted, ///< Somebody else deleted the queue node while it was waiting.
    not_acquired,      ///< The lock was not free within the time given, though servers answer.
    would_deadlock,    ///< The call would wait for itself: on the client's own thread, or for a lock that this thread holds.
    not_owner,         ///< The calling thread does not hold the lock.
    invalid_path,      ///< The path is not a valid znode path.
    too_large,         ///< The request is larger than a server accepts (jute.maxbuffer, 1 MiB).
    too_many_watches,  ///< One more watch could not be restored after a reconnect (they must fit one 1 MiB packet).
    not_applied,       ///< An operation of a transaction that was rejected because of another one.
    corrupt_data,      ///< The data could not be decompressed, or not be compressed.
    invalid_config,    ///< A field of the configuration cannot be used.
    numbers_used_up,   ///< The lock's node has numbered 2147483647 children and cannot order more: it must be made anew.
    executor_idle,     ///< Nobody runs the client's executor (`io_context::run()`), so that a blocking call cannot go on.
    reply_too_large,   ///< The answer has more than 64 MiB, more than this client reads: a list of a million children, say.
    other_process,     ///< The client belongs to the process that made it, and this is a child of that: make a new client.
};

/// What a caller asks of an error, whatever its number: `if (ec == condition::retryable)`.
enum class condition {
    retryable = 1,   ///< The same request may succeed when it is sent again.
    outcome_unknown, ///< The request may or may not have been applied: its reply was lost.
    session_ended,   ///< The session is gone, and with it all its ephemeral nodes.
};

/// Have fixed ids: equal to those of another copy of this library in the same program.
DOCENT_EXPORT const boost::system::error_category& server_category() noexcept;
DOCENT_EXPORT const boost::system::error_category& docent_category() noexcept;
DOCENT_EXPORT const boost::system::error_category& condition_category() noexcept;

DOCENT_EXPORT error_code make_error_code(server_error e) noexcept;
DOCENT_EXPORT error_code make_error_code(error e) noexcept;
DOCENT_EXPORT error_condition make_error_condition(condition c) noexcept;

/// What the throwing overloads throw. `code()` is what the `error_code&` overload would have set; `what()` names the
/// operation and the path too.
class DOCENT_EXPORT Error : public boost::system::system_error {
public:
    using system_error::system_error;
};

} // namespace docent

template <> struct boost::system::is_error_code_enum<docent::server_error> : std::true_type {};
template <> struct boost::system::is_error_code_enum<docent::error> : std::true_type {};
template <> struct boost::system::is_error_condition_enum<docent::condition> : std::true_type {};
