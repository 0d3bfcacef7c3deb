// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/recipes/lock_options.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent {

class Client;

/// A recipe that can be recognized by the names of its nodes, docent's or Curator's.
/// @ingroup locks
enum class RecipeKind {
    mutex,           ///< An InterProcessMutex or a LeaderSelector.
    read_write_lock, ///< An InterProcessReadWriteLock.
    semaphore,       ///< An InterProcessSemaphore or an InterProcessSemaphoreMutex.
    leader_latch     ///< A LeaderLatch.
};

/// The role of a participant's node.
/// @ingroup locks
enum class ParticipantKind {
    /// A mutex; in a semaphore, the gate before its permits.
    lock,
    /// The reader's side of a read/write lock.
    read,
    /// The writer's side of a read/write lock.
    write,
    /// A permit of a semaphore that is taken or reserved.
    lease,
    /// A participant in the election of a LeaderLatch.
    latch,
};

/// The name of the enumerator, for example "mutex".
/// @ingroup locks
DOCENT_EXPORT std::string_view to_string(RecipeKind kind) noexcept;
/// The name of the enumerator, for example "read".
/// @ingroup locks
DOCENT_EXPORT std::string_view to_string(ParticipantKind kind) noexcept;

/// A holder of a lock, or a waiter in its queue.
/// @ingroup locks
struct Participant {
    /// The recipe of the node.
    RecipeKind recipe;
    /// The role of the node.
    ParticipantKind kind;
    /// The path of the node.
    std::string node_path;
    /// The place in its queue, from 0 on. The gate and the permits of a semaphore are two queues.
    std::size_t position;
    /// Whether the participant holds the lock, judged by the order of the nodes; the participant
    /// may not know it yet.
    ///
    /// For a semaphore, all permits count as held, also a permit that the first waiter at the gate
    /// has only reserved. Such a permit has the session of the waiter, and a larger fencing token
    /// than the node of the waiter at the gate. A permit that the same session holds may look the
    /// same. While nobody waits at the gate, no permit is reserved.
    bool holds;
    /// The data of the node, which names the participant; without the owner.
    std::string data;
    /// The session that owns the node; 0 if the node is not ephemeral. No recipe makes such a node.
    std::int64_t session_id;
    /// The czxid of the node. For a downgraded holder this is not the fencing token, see
    /// Lease::fencing_token().
    std::int64_t fencing_token;
    /// When the node was made: milliseconds since 1970 on the servers' clock, as Stat::ctime.
    std::int64_t created = 0;
    /// Whether the client may read the node. If not, `data` and `owner` are empty. The session, the
    /// token and the time are then 0, except with ZooKeeper before 3.8.4 and 3.9.2.
    bool readable = true;
    /// LockOptions::owner; empty if it was not given, or was overwritten.
    std::string owner = {};
    /// Whether all members are equal.
    friend bool operator==(const Participant&, const Participant&) = default;
};

/// The participants of the recipes at a path.
/// @ingroup locks
struct Inspection {
    /// The participants, recipe by recipe, each recipe in the order of its queue.
    std::vector<Participant> participants;
    /// Names of children that belong to no recipe. Below the nodes of a semaphore, they begin with
    /// `locks/` or `leases/`.
    std::vector<std::string> strangers;
    /// Whether all members are equal.
    friend bool operator==(const Inspection&, const Inspection&) = default;
};

/// The options of inspect().
///
/// ```cpp
/// docent::InspectOptions options{.others = docent::kazoo_contenders()};
/// docent::Inspection found = docent::inspect(client, "/locks/shared-with-python", options);
/// ```
/// @ingroup locks
struct InspectOptions {
    /// The tokens of other libraries' nodes at the path, as in LockOptions::others of the locks
    /// there.
    ///
    /// The nodes are then participants and not strangers. They count for the read/write lock if the
    /// path has a node of a reader or a writer, also if another library made it. Otherwise they
    /// count for the mutex. A token must not be empty or contain a slash.
    OtherContenders others = {};
};

/// The data of a lock's node, split from the owner that LockOptions::owner has added.
/// @ingroup locks
struct OwnedData {
    /// The data without the owner.
    std::string data;
    /// The owner; empty if there is none.
    std::string owner = {};
    /// Whether all members are equal.
    friend bool operator==(const OwnedData&, const OwnedData&) = default;
};

/// Splits the data of a lock's node, as Client::get() reads it, into data and owner. For programs
/// that read nodes themselves.
///
/// If the owner is invalid, `data` stays as it is, and `owner` is empty.
/// @ingroup locks
DOCENT_EXPORT OwnedData split_owner(std::string data);

/// The names of the nodes at a path, as Client::children() lists them.
/// @ingroup locks
struct RecipeChildren {
    /// The children of the path.
    std::vector<std::string> children;
    /// For a semaphore, the children of `<path>/locks`.
    std::vector<std::string> gate = {};
    /// For a semaphore, the children of `<path>/leases`.
    std::vector<std::string> leases = {};
};

/// Finds the participants at `path` from names alone, without a request. For programs that watch
/// the lists themselves.
///
/// The participants have the order of inspect(), but no data, session, token or time. Errors:
/// throws `server_error::bad_arguments`, as inspect().
/// @ingroup locks
DOCENT_EXPORT Inspection inspect_names(std::string_view path, const RecipeChildren& names, InspectOptions options = {});

/// Reads the holders and waiters of the locks at `path`, without taking part.
///
/// ```cpp
/// for (const docent::Participant& each : docent::inspect(client, "/locks/nightly").participants) {
///     const std::string line = each.data + (each.holds ? " holds" : " waits");
/// }
/// ```
///
/// The list and the nodes are read one after the other: a participant that leaves meanwhile is left
/// out. Two round trips; three for a semaphore; one more if the client may not read a node.
///
/// Errors: `server_error::no_node` (no participant was ever there, or the last has left),
/// `server_error::bad_arguments` (an invalid token), `server_error::no_auth`, and as
/// Client::children().
/// @ingroup locks
DOCENT_EXPORT Inspection inspect(Client& client, std::string_view path, CallOptions call = {});
/// As above, but sets `ec` instead of throwing.
/// @ingroup locks
DOCENT_EXPORT Inspection inspect(Client& client, std::string_view path, error_code& ec, CallOptions call = {});
/// As above, with options.
/// @ingroup locks
DOCENT_EXPORT Inspection inspect(Client& client, std::string_view path, InspectOptions options, CallOptions call = {});
/// As above, but sets `ec` instead of throwing.
/// @ingroup locks
DOCENT_EXPORT Inspection inspect(Client& client, std::string_view path, InspectOptions options, error_code& ec,
                                 CallOptions call = {});

namespace detail {
class ClientView;
DOCENT_EXPORT const std::shared_ptr<ClientView>& view_of(Client& client);
DOCENT_EXPORT void initiate_inspect(const std::shared_ptr<ClientView>&, std::string path, InspectOptions, CallOptions,
                                    Handler<Inspection>);
} // namespace detail

/// Reads the holders and waiters of the locks at `path`, as inspect() does.
///
/// Completion signature: `void(error_code, Inspection)`. Cancellation: `terminal`, `partial` and
/// `total`. A cancelled call completes at once with `operation_aborted`.
/// @ingroup locks
template <std::derived_from<Client> AnyClient, asio::completion_token_for<void(error_code, Inspection)> Token =
                                                   detail::DefaultToken<typename AnyClient::executor_type>>
auto async_inspect(AnyClient& client, std::string path, InspectOptions options, CallOptions call, Token&& token = Token{}) {
    return detail::initiate<Inspection>(&detail::initiate_inspect, token, detail::view_of(client), std::move(path),
                                        std::move(options), std::move(call));
}
/// As above, without options for the call.
/// @ingroup locks
template <std::derived_from<Client> AnyClient, asio::completion_token_for<void(error_code, Inspection)> Token =
                                                   detail::DefaultToken<typename AnyClient::executor_type>>
auto async_inspect(AnyClient& client, std::string path, InspectOptions options, Token&& token = Token{}) {
    return async_inspect(client, std::move(path), std::move(options), CallOptions{}, std::forward<Token>(token));
}
/// As above, with default options for the inspection.
/// @ingroup locks
template <std::derived_from<Client> AnyClient, asio::completion_token_for<void(error_code, Inspection)> Token =
                                                   detail::DefaultToken<typename AnyClient::executor_type>>
auto async_inspect(AnyClient& client, std::string path, CallOptions call, Token&& token = Token{}) {
    return async_inspect(client, std::move(path), InspectOptions{}, std::move(call), std::forward<Token>(token));
}
/// As above, with default options.
/// @ingroup locks
template <std::derived_from<Client> AnyClient, asio::completion_token_for<void(error_code, Inspection)> Token =
                                                   detail::DefaultToken<typename AnyClient::executor_type>>
auto async_inspect(AnyClient& client, std::string path, Token&& token = Token{}) {
    return async_inspect(client, std::move(path), CallOptions{}, std::forward<Token>(token));
}

} // namespace docent
