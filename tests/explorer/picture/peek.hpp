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

/// What makes a difference to those of one client.
struct PeekTerms {
    const detail::FakeClient* keeper = nullptr; // their client, if nobody else removes the nodes of that one
    bool goes_by_place = false;                 // they look no further in a line than their own nodes
};
/// All that an operation knows, but for what it has asked and was not answered yet; false for operations of which that cannot
/// be told.
bool write(detail::TextBuilder& out, const detail::Operation& operation, const PeekTerms& terms);
void write(detail::TextBuilder& out, const detail::LeaseCore& lease, const PeekTerms& terms);
void write_marker(detail::TextBuilder& out, const detail::TransactionMarker& marker);
/// What a process knows of the node that it keeps.
void write(detail::TextBuilder& out, const detail::MutexCore& kept);
/// Of a client: the removals that it owes, the nodes that it suspects to be its own, and what its contenders know of their
/// queues together; unless `all_known`, only what one of them may ask for before a list has replaced it.
void write_owed(detail::TextBuilder& out, const detail::FakeClient& client, bool all_known);
/// Those that it knows to be its own; unless `all`, only those that it may be shown: which are in a tree, or in the list in a
/// reply. The trees are the first part of the text.
void write_known(detail::TextBuilder& out, const detail::FakeClient& client, std::size_t length_of_trees, bool all);
/// How far the follower is behind what the client has seen, or will have when it has heard all (null: the follower does not
/// matter), and which of its watches have missed something. `hears_nothing`: by this connection. `whole`: of those
/// of which nobody is told, too.
void write_behind(detail::TextBuilder& out, const detail::FakeClient& client, const detail::FakeTree* follower,
                  const std::function<std::size_t(std::int64_t)>& behind, bool hears_nothing, bool whole);

/// All that it will make have as many digits: they are put in order as texts, by maps of paths too.
void let_guids_be_of_one_length(detail::FakeClient& client);

// ---- of a client
std::int64_t last_zxid(const detail::FakeClient& client); // no server that has not got so far takes it
std::uint64_t requests_so_far(const detail::FakeClient& client);
/// The number of the oldest request by this owner that is not answered.
std::optional<std::uint64_t> oldest_request(const detail::FakeClient& client, std::optional<std::size_t> owner);
struct Asked {
    std::uint64_t number; // of all requests of the client
    std::string path;     // empty: several
    std::size_t owner;
};
std::optional<Asked> next_answered(const detail::FakeClient& client);                             // by what it hears next
std::vector<Asked> all_asked(const detail::FakeClient& client, std::optional<std::size_t> owner); // and not answered
/// The next thing to arrive is an event for which nobody waits any more.
bool has_unheard_news(const detail::FakeClient& client);
/// The next thing to arrive is a reply.
bool hears_reply_next(const detail::FakeClient& client);
/// The next thing to arrive is the end of the connection.
bool hears_end_next(const detail::FakeClient& client);
/// That its server does next; null for none.
const zk::Request* next_request(const detail::FakeClient& client);
std::vector<std::string> watched_paths(const detail::FakeClient& client);     // on its server, for somebody
bool asks_about(const detail::FakeClient& client, const std::string& path);   // or watches it, or has
std::set<const void*> watches_ahead(const detail::FakeClient& client);        // of those who wait in line
bool only_removes(const detail::FakeClient& client);                          // of a connected one: has nothing else under way
bool watches_others(const detail::FakeClient& client);                        // of a connected one: nodes that are not its own
bool watches_list(const detail::FakeClient& client, const std::string& path); // of its children, or will
bool is_own(const detail::FakeClient& client, const std::string& path);       // by the mark in the name
std::size_t arrivals(const detail::FakeClient& client);                       // of which somebody will be told

} // namespace docent::explorer
