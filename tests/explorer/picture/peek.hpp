// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"
#include "fake_client.hpp"
#include "lease/lease_core.hpp"
#include "mutex/mutex_core.hpp"
#include "observers/text_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace docent::explorer {

/// Facts about one client that decide what matters to its operations.
struct PeekTerms {
    const detail::FakeClient* keeper = nullptr; // this client, if no other client removes its nodes
    bool goes_by_place = false;                 // its operations look no further in a queue than its nodes
};
/// Writes everything that an operation knows, except its open requests. Returns false if that is not possible for this
/// operation.
bool write(detail::TextBuilder& out, const detail::Operation& operation, const PeekTerms& terms);
void write(detail::TextBuilder& out, const detail::LeaseCore& lease, const PeekTerms& terms);
void write_marker(detail::TextBuilder& out, const detail::TransactionMarker& marker);
/// Writes what a process knows of the node that it keeps.
void write(detail::TextBuilder& out, const detail::MutexCore& kept);
/// Writes the removals that a client owes, the nodes that it suspects to have created, and the shared knowledge of its
/// contenders about their queues. Unless `all_known`, leaves out knowledge that a list replaces before a contender uses it.
void write_owed(detail::TextBuilder& out, const detail::FakeClient& client, bool all_known);
/// Writes the client's knowledge of nodes with its guids. Unless `all`, only of nodes that a server may show to it: these are
/// in a tree, or in the list of a reply. The trees are the first part of the text.
void write_known(detail::TextBuilder& out, const detail::FakeClient& client, std::size_t length_of_trees, bool all);
/// Writes how far the follower is behind the changes that the client has seen, or will have seen after its last reply. Also
/// writes which of the client's watches have missed a change. `follower`: null if it does not matter. `hears_nothing`: the
/// client hears no more on this connection. `whole`: includes watches without a listener.
void write_behind(detail::TextBuilder& out, const detail::FakeClient& client, const detail::FakeTree* follower,
                  const std::function<std::size_t(std::int64_t)>& behind, bool hears_nothing, bool whole);

/// Makes all guids of the client equally long, because paths are compared as texts, also as keys of maps.
void let_guids_be_of_one_length(detail::FakeClient& client);

// ---- of a client
std::int64_t last_zxid(const detail::FakeClient& client); // a server that knows less does not accept the client
std::uint64_t requests_so_far(const detail::FakeClient& client);
/// Returns the number of the owner's oldest open request. Without an owner, of all requests of the client.
std::optional<std::uint64_t> oldest_request(const detail::FakeClient& client, std::optional<std::size_t> owner);
struct Asked {
    std::uint64_t number; // among all requests of the client
    std::string path;     // empty: several paths
    std::size_t owner;
};
std::optional<Asked> next_answered(const detail::FakeClient& client);                             // by the next arrival
std::vector<Asked> all_asked(const detail::FakeClient& client, std::optional<std::size_t> owner); // open requests
/// The next arrival is an event without a listener.
bool has_unheard_news(const detail::FakeClient& client);
/// The next arrival is a reply.
bool hears_reply_next(const detail::FakeClient& client);
/// The next arrival is the end of the connection.
bool hears_end_next(const detail::FakeClient& client);
/// Returns the request that the server handles next; null if there is none.
const zk::Request* next_request(const detail::FakeClient& client);
std::vector<std::string> watched_paths(const detail::FakeClient& client);     // on its server, with a listener
bool asks_about(const detail::FakeClient& client, const std::string& path);   // or watches it, or will after a reply
std::set<const void*> watches_ahead(const detail::FakeClient& client);        // of its waiters, on nodes ahead
bool only_removes(const detail::FakeClient& client);                          // of a connected client: no other request is open
bool watches_others(const detail::FakeClient& client);                        // of a connected client: nodes of others
bool watches_list(const detail::FakeClient& client, const std::string& path); // of the children, now or after a reply
bool is_own(const detail::FakeClient& client, const std::string& path);       // by the guid in the name
std::size_t arrivals(const detail::FakeClient& client);                       // that have a listener

} // namespace docent::explorer
