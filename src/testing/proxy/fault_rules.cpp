// SPDX-License-Identifier: Apache-2.0

#include "testing/proxy/fault_rules.hpp"

#include <algorithm>
#include <utility>

namespace docent::testing {

std::optional<RequestHead> Exchange::read_request(const Piece& piece) {
    if (!piece.whole_frame || !std::exchange(connect_request_seen_, true)) return std::nullopt;
    return request_head(piece.bytes);
}

void Exchange::expect_reply(const RequestHead& request, bool awaited) {
    pending_.push_back({request.xid, awaited});
}

bool Exchange::is_awaited_reply(const Piece& piece) {
    if (!piece.whole_frame || !std::exchange(connect_response_seen_, true)) return false;
    const auto xid = reply_xid(piece.bytes);
    const auto request = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& p) { return p.xid == xid; });
    if (request == pending_.end()) return false; // a watch event
    const bool awaited = request->awaited;
    pending_.erase(request);
    return awaited;
}

void Exchange::await_none() {
    for (auto& request : pending_) request.awaited = false;
}

std::optional<std::size_t> FaultRules::take_bytes(Direction direction, std::size_t wanted) {
    auto& left = of(direction).bytes_left;
    if (!left) return std::nullopt;
    if (*left > wanted) {
        *left -= wanted;
        return std::nullopt;
    }
    const std::size_t allowed = *left;
    left.reset();
    return allowed;
}

std::function<void()> FaultRules::action(Opcode opcode) const {
    const auto found = actions_.find(opcode);
    return found == actions_.end() ? nullptr : found->second;
}

bool FaultRules::take(std::multiset<Opcode>& rules, Opcode opcode) {
    const auto found = rules.find(opcode);
    if (found == rules.end()) return false;
    rules.erase(found);
    return true;
}

void ProxyCounters::add_connection() {
    const std::scoped_lock lock(mutex_);
    ++connections_;
}

void ProxyCounters::add_request(Opcode opcode) {
    const std::scoped_lock lock(mutex_);
    ++requests_[opcode];
}

void ProxyCounters::add_cut() {
    {
        const std::scoped_lock lock(mutex_);
        ++cuts_;
    }
    changed_.notify_all();
}

std::size_t ProxyCounters::connections() const {
    const std::scoped_lock lock(mutex_);
    return connections_;
}

std::size_t ProxyCounters::requests(Opcode opcode) const {
    const std::scoped_lock lock(mutex_);
    const auto found = requests_.find(opcode);
    return found == requests_.end() ? 0 : found->second;
}

bool ProxyCounters::wait_cuts(std::size_t count, std::chrono::milliseconds timeout) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return cuts_ >= count; });
}

} // namespace docent::testing
