// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"
#include "fake_client.hpp"
#include "lease/lease_core.hpp"
#include "mutex/mutex_core.hpp"
#include "observers/text_builder.hpp"

#include <cstddef>
#include <set>
#include <string>

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
/// Writes what a process knows of the node that it keeps.
void write(detail::TextBuilder& out, const detail::MutexCore& kept);
/// Writes the removals that a client owes, the nodes that it suspects to have created, and the shared knowledge of its
/// contenders about their queues. Unless `all_known`, leaves out knowledge that a list replaces before a contender uses it.
void write_owed(detail::TextBuilder& out, const detail::FakeClient& client, bool all_known);
/// Writes the client's knowledge of nodes with its guids. Unless `all`, only of nodes that a server may show to it: these are
/// in a tree, or in the list of a reply. The trees are the first part of the text.
void write_known(detail::TextBuilder& out, const detail::FakeClient& client, std::size_t length_of_trees, bool all);
std::set<const void*> watches_ahead(const detail::FakeClient& client); // of its waiters, on nodes ahead
bool only_removes(const detail::FakeClient& client);                   // of a connected client: no other request is open

} // namespace docent::explorer
