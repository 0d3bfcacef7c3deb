// SPDX-License-Identifier: Apache-2.0
#include "client/core/removals/removals.hpp"

#include "base/protection.hpp"
#include "base/time_over.hpp"
#include "base/while_alive.hpp"
#include "client/core/connected_operation.hpp"
#include "client/core/observation.hpp"

#include <docent/path.hpp>

#include <cstddef>
#include <iterator>
#include <utility>

namespace docent::detail {
namespace {

/// Whether the removal must be tried again: it has no final answer (see is_lost()), or the C client had no memory for it.
bool is_open(const error_code& ec) {
    return is_lost(ec) || ec == server_error::system_error || ec == server_error::marshalling_error;
}

} // namespace

void Removals::add(RemovalOrder order, bool connected, Removed done) {
    orders_.push_back({std::move(order), std::move(done)});
    const Position entry = std::prev(orders_.end());
    if (connected) attempt(entry);
    else tell(*entry);
}

void Removals::retry() {
    for (auto entry = orders_.begin(); entry != orders_.end(); ++entry) {
        if (!entry->under_way) attempt(entry);
    }
}

void Removals::on_closed() {
    auto orders = std::exchange(orders_, {});
    alive_ = std::make_shared<bool>(true);
    for (Entry& entry : orders) tell(entry);
}

void Removals::tell(Entry& entry, error_code ec) {
    entry.order.counter.reset();
    if (entry.done) std::exchange(entry.done, nullptr)(ec);
}

void Removals::send(const Entry& entry, zk::Request request, zk::ReplyHandler handler) {
    if (const auto& counter = entry.order.counter) handler = counter->counted(request, std::move(handler));
    submit_(std::move(request), std::move(handler));
}

void Removals::attempt(Position entry) {
    entry->under_way = true;
    const std::weak_ptr alive(alive_);
    if (entry->order.guid.empty()) {
        const auto on_removed = [this, entry](const zk::Reply& reply) { on_answer(entry, reply.ec); };
        return send(*entry, zk::RemoveRequest{entry->order.path, entry->order.version}, while_alive(alive, on_removed));
    }
    const auto on_listed = [this, entry](const zk::Reply& reply) {
        const auto names = reply.ec ? std::vector<std::string>() : find_protected(reply.children, entry->order.guid);
        names.empty() ? on_answer(entry, reply.ec) : remove_found(entry, names);
    };
    // With a sync, because a server that lags behind may not have the node yet (CURATOR-264).
    auto handlers = synced(while_alive(alive, on_listed));
    send(*entry, zk::SyncRequest{entry->order.path}, std::move(handlers.sync));
    send(*entry, zk::ChildrenRequest{entry->order.path}, std::move(handlers.read));
}

void Removals::remove_found(Position entry, const std::vector<std::string>& names) {
    auto left = std::make_shared<std::pair<std::size_t, error_code>>(names.size(), error_code{});
    const auto on_removed = [this, entry, left](const zk::Reply& reply) {
        // Keeps an error after which the removal is tried again.
        if (!is_gone(reply.ec) && !is_open(left->second)) left->second = reply.ec;
        if (--left->first == 0) on_answer(entry, left->second);
    };
    for (const std::string& name : names) {
        send(*entry, zk::RemoveRequest{join_path(entry->order.path, name)}, while_alive(std::weak_ptr(alive_), on_removed));
    }
}

void Removals::on_answer(Position entry, error_code ec) {
    entry->under_way = false;
    if (is_open(ec)) return tell(*entry); // the removal goes on in the background
    tell(*entry, is_gone(ec) ? error_code() : ec);
    if (guid_gone_ && is_gone(ec) && !entry->order.guid.empty()) guid_gone_(entry->order.path, entry->order.guid);
    orders_.erase(entry);
}

} // namespace docent::detail
