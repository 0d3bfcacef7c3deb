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
#include <vector>

namespace docent {

class Client;

/// The recipes whose nodes can be told apart by their names: docent's and Curator's.
enum class RecipeKind { mutex, read_write_lock, semaphore, leader_latch };

/// What a participant's node asks for.
enum class ParticipantKind {
    lock,  ///< A mutex; in a semaphore, the gate before its leases.
    read,  ///< The reading side of a read/write lock.
    write, ///< The writing side.
    lease, ///< A lease of a semaphore: a permit that is out, or reserved.
    latch, ///< The leadership of a latch.
};

DOCENT_EXPORT std::string_view to_string(RecipeKind kind) noexcept;
DOCENT_EXPORT std::string_view to_string(ParticipantKind kind) noexcept;

/// Somebody who holds, or waits in a queue.
struct Participant {
    RecipeKind recipe;
    ParticipantKind kind;
    std::string node_path;
    std::size_t position; ///< In its queue, from 0.
    /// By the order of the nodes: those who wait need not know yet. All leases of a semaphore are said to hold. What the first
    /// at its gate has only reserved has that one's session and a token above its node's; so may have what that session holds:
    /// the nodes do not tell these apart. While nobody is at the gate, nothing is reserved.
    bool holds;
    std::string data;           ///< Of the node: who it is, for people to read. Without the owner.
    std::int64_t session_id;    ///< Of the node's owner; 0 if the node is not ephemeral, as no recipe makes it.
    std::int64_t fencing_token; ///< The node's czxid; of a downgraded holder not the token: see Lease::fencing_token().
    std::int64_t created = 0;   ///< When its node was made: milliseconds since 1970 on the servers' clock, as Stat::ctime.
    std::string owner = {};     ///< LockOptions::owner, if it was given, and nobody has written over it; not a part of `data`.
    friend bool operator==(const Participant&, const Participant&) = default;
};

/// Who takes part in the recipes at a path.
struct Inspection {
    std::vector<Participant> participants; ///< Recipe by recipe, each in the order of the queue.
    std::vector<std::string> strangers;    ///< Names of children that no recipe has made.
    friend bool operator==(const Inspection&, const Inspection&) = default;
};

/// What is said of an inspection.
struct InspectOptions {
    /// Who else stands in the queue at the path, as the locks there are told (LockOptions::others): participants then, and not
    /// strangers. Of a mutex, or, beside a node of a read/write lock or a shared one of theirs, of that. A token must not be
    /// empty nor contain a slash.
    OtherContenders others = {};
};

/// A lock node's data, and the owner that LockOptions::owner has written behind them.
struct OwnedData {
    std::string data;
    std::string owner = {}; ///< Empty if there is none.
    friend bool operator==(const OwnedData&, const OwnedData&) = default;
};

/// What a lock node's data, read by Client::get() say, are made of; for those who read nodes themselves. An owner that cannot
/// be one is a part of the data.
DOCENT_EXPORT OwnedData split_owner(std::string data);

/// Names of nodes at a path and, of a semaphore, in its queue and among its leases, as Client::children() has them.
struct RecipeChildren {
    std::vector<std::string> children;    ///< Of the path itself.
    std::vector<std::string> gate = {};   ///< Of `locks` there.
    std::vector<std::string> leases = {}; ///< Of `leases` there.
};

/// What these names alone tell of who takes part at `path`, for those who watch lists themselves: its participants are in
/// inspect()'s order, without data, session, token and time. Asks nobody. Errors: throws Error(`bad_arguments`), as inspect().
DOCENT_EXPORT Inspection inspect_names(std::string_view path, const RecipeChildren& names, InspectOptions options = {});

/// Looks at the locks at `path`, without taking part. The list and the nodes are read one after the other: a participant that
/// leaves meanwhile is left out. Costs two round trips, three for a semaphore.
/// Errors: `no_node` (nobody has been there yet, or the last one has left), `no_auth`, those of Client::children;
/// `bad_arguments` (a token that cannot be).
DOCENT_EXPORT Inspection inspect(Client& client, std::string_view path, CallOptions call = {});
DOCENT_EXPORT Inspection inspect(Client& client, std::string_view path, error_code& ec, CallOptions call = {});
DOCENT_EXPORT Inspection inspect(Client& client, std::string_view path, InspectOptions options, CallOptions call = {});
DOCENT_EXPORT Inspection inspect(Client& client, std::string_view path, InspectOptions options, error_code& ec,
                                 CallOptions call = {});

namespace detail {
class ClientView;
DOCENT_EXPORT const std::shared_ptr<ClientView>& view_of(Client& client);
DOCENT_EXPORT void initiate_inspect(const std::shared_ptr<ClientView>&, std::string path, InspectOptions, CallOptions,
                                    Handler<Inspection>);
} // namespace detail

/// Completion signature: `void(error_code, Inspection)`. Cancellation: `terminal`, `partial`, `total`; completes at once.
template <std::derived_from<Client> AnyClient, asio::completion_token_for<void(error_code, Inspection)> Token =
                                                   detail::DefaultToken<typename AnyClient::executor_type>>
auto async_inspect(AnyClient& client, std::string path, InspectOptions options, CallOptions call, Token&& token = Token{}) {
    return detail::initiate<Inspection>(&detail::initiate_inspect, token, detail::view_of(client), std::move(path),
                                        std::move(options), std::move(call));
}
template <std::derived_from<Client> AnyClient, asio::completion_token_for<void(error_code, Inspection)> Token =
                                                   detail::DefaultToken<typename AnyClient::executor_type>>
auto async_inspect(AnyClient& client, std::string path, InspectOptions options, Token&& token = Token{}) {
    return async_inspect(client, std::move(path), std::move(options), CallOptions{}, std::forward<Token>(token));
}
template <std::derived_from<Client> AnyClient, asio::completion_token_for<void(error_code, Inspection)> Token =
                                                   detail::DefaultToken<typename AnyClient::executor_type>>
auto async_inspect(AnyClient& client, std::string path, CallOptions call, Token&& token = Token{}) {
    return async_inspect(client, std::move(path), InspectOptions{}, std::move(call), std::forward<Token>(token));
}
template <std::derived_from<Client> AnyClient, asio::completion_token_for<void(error_code, Inspection)> Token =
                                                   detail::DefaultToken<typename AnyClient::executor_type>>
auto async_inspect(AnyClient& client, std::string path, Token&& token = Token{}) {
    return async_inspect(client, std::move(path), CallOptions{}, std::forward<Token>(token));
}

} // namespace docent
