// SPDX-License-Identifier: Apache-2.0
#include "cache/cache_machine.hpp"

#include <docent/path.hpp>

#include <algorithm>

namespace docent::detail {

CacheMachine::CacheMachine(CacheShape shape, std::size_t in_flight) : shape_(std::move(shape)), in_flight_limit_(in_flight) {}

// ---- events

CacheStep CacheMachine::start() {
    if (started_ || closed_) return finish();
    started_ = true;
    nodes_[shape_.root];
    return on_session(connected_);
}

CacheStep CacheMachine::on_session(bool connected) {
    if (closed_) return finish();
    connected_ = connected;
    synced_ = false;
    sync_ = 0;
    if (std::exchange(whole_, false)) tell({CacheChange::stale});
    queue_.clear();
    paused_.clear();
    pausing_ = false;
    pause_ = std::chrono::seconds{1};
    for (auto& [path, node] : nodes_) {
        for (Question& question : node.questions) {
            question.ticket = 0; // later answers are ignored
            set(question, Owed::nothing);
        }
        ask_all(path, node);
    }
    if (connected_ && started_) sync();
    return finish();
}

void CacheMachine::sync() {
    sync_ = ++last_ticket_;
    ++in_flight_;
    step_.actions.push_back(SyncCache{sync_});
}

CacheStep CacheMachine::on_synced(CacheTicket ticket, error_code ec) {
    --in_flight_;
    if (ticket != sync_) return finish();
    sync_ = 0;
    synced_ = !ec;
    if (ec) pause();
    else pause_ = std::chrono::seconds{1};
    return finish();
}

CacheStep CacheMachine::on_read(CacheTicket ticket, const std::string& path, error_code ec, CachedNodePtr node) {
    const auto which = answered(path, read, ticket);
    if (which == nodes_.end()) return finish();
    if (ec == server_error::no_node) gone(which);
    else if (ec) fail(which, read, ec);
    else show(path, which->second, std::move(node));
    return finish();
}

CacheStep CacheMachine::on_listed(CacheTicket ticket, const std::string& path, error_code ec,
                                  const std::vector<std::string>& names) {
    const auto which = answered(path, list, ticket);
    if (which == nodes_.end()) return finish();
    if (ec == server_error::no_node) gone(which);
    else if (ec) fail(which, list, ec);
    if (ec) return finish();

    Node& node = which->second;
    const std::set<std::string> now(names.begin(), names.end());
    for (const std::string& name : std::set(node.children)) {
        if (!now.contains(name)) drop(nodes_.find(join_path(path, name)));
    }
    for (const std::string& name : now) {
        const std::string below = join_path(path, name);
        const bool is_new = node.children.insert(name).second;
        Node& child = nodes_[below];
        child.depth = node.depth + 1;
        if (std::exchange(child.suspect, false) || is_new) ask_all(below, child);
    }
    return finish();
}

CacheStep CacheMachine::on_awaited(CacheTicket ticket, error_code ec) {
    const auto root = answered(shape_.root, await, ticket);
    if (root == nodes_.end()) return finish();
    if (!ec) ask_all(root->first, root->second);
    else if (ec != server_error::no_node) fail(root, await, ec);
    return finish();
}

CacheStep CacheMachine::on_watch(const std::string& path, WatchEventType type) {
    const auto found = nodes_.find(path);
    if (found == nodes_.end() || !connected_) return finish();
    Node& node = found->second;
    switch (type) {
    case WatchEventType::data_changed:
        // A hidden root is not read. Its event comes from the watch of AwaitRoot, and changes nothing.
        if (node.depth > 0 || shape_.shows_root) ask(path, node, read);
        break;
    case WatchEventType::children_changed: ask(path, node, list); break;
    case WatchEventType::created: ask_all(path, node); break;
    case WatchEventType::deleted:
        if (node.depth == 0) ask_all(path, node);
        else node.suspect = true; // the parent's list will show whether it exists
        break;
    case WatchEventType::session_lost: break; // the next session reads everything again
    }
    return finish();
}

CacheStep CacheMachine::on_pause_over() {
    const bool is_awaited = std::exchange(pausing_, false); // false if a session event has ended the pause
    if (!is_awaited || closed_ || !connected_) return finish();
    if (!synced_) {
        if (sync_ == 0) sync();
        return finish();
    }
    for (const auto& [path, kind] : std::exchange(paused_, {})) {
        if (const auto found = nodes_.find(path); found != nodes_.end()) ask(path, found->second, kind);
    }
    return finish();
}

CacheStep CacheMachine::close() {
    closed_ = true;
    if (std::exchange(whole_, false)) tell({CacheChange::stale});
    for (const auto& [path, node] : nodes_) step_.actions.push_back(ForgetCached{path});
    nodes_.clear();
    queue_.clear();
    return finish();
}

// ---- questions

void CacheMachine::ask(const std::string& path, Node& node, Kind kind) {
    Question& question = node.questions[kind];
    if (question.owed == Owed::queued) return;
    if (question.owed == Owed::asked) {
        question.again = true;
        return;
    }
    set(question, Owed::queued);
    queue_.emplace_back(path, kind);
}

void CacheMachine::ask_all(const std::string& path, Node& node) {
    if (node.depth > 0 || shape_.shows_root) ask(path, node, read);
    if (node.depth < shape_.depth) ask(path, node, list);
}

void CacheMachine::set(Question& question, Owed owed) {
    const auto counts = [](Owed what) { return what == Owed::queued || what == Owed::asked || what == Owed::after_pause; };
    if (counts(question.owed)) --owed_;
    if (counts(owed)) ++owed_;
    question.owed = owed;
    if (owed != Owed::asked) question.again = false;
}

CacheMachine::Nodes::iterator CacheMachine::answered(const std::string& path, Kind kind, CacheTicket ticket) {
    --in_flight_;
    const auto found = nodes_.find(path);
    if (found == nodes_.end()) return found;
    Question& question = found->second.questions[kind];
    if (question.owed != Owed::asked || question.ticket != ticket) return nodes_.end();
    const bool again = question.again;
    set(question, Owed::nothing);
    if (again) ask(path, found->second, kind);
    return found;
}

void CacheMachine::fail(Nodes::iterator which, Kind kind, error_code ec) {
    auto& [path, node] = *which;
    const bool unreadable = ec == error::corrupt_data; // until the node changes
    const bool is_left_out = unreadable || (ec == server_error::no_auth && node.depth > 0);
    if (is_left_out) kind == list ? drop_children(path, node) : hide(path, node);
    if (ec != condition::retryable) {
        refuse(path, node, ec);
        if (!is_left_out || node.depth == 0) step_.obstacle = ec;
    }
    if (node.questions[kind].owed != Owed::nothing) return; // another request follows anyway
    if (unreadable) return;
    set(node.questions[kind], is_left_out ? Owed::left_out : Owed::after_pause);
    paused_.emplace_back(path, kind);
    pause();
}

void CacheMachine::refuse(const std::string& path, Node& node, error_code ec) {
    if (std::exchange(node.refusal, ec) != ec) tell({CacheChange::refused, path, {}, {}, ec});
}

void CacheMachine::pause() {
    if (std::exchange(pausing_, true)) return;
    step_.actions.push_back(PauseCache{pause_});
    pause_ = std::min(2 * pause_, longest_pause);
}

// ---- the view

void CacheMachine::show(const std::string& path, Node& node, CachedNodePtr now) {
    node.refusal = {};
    const CachedNodePtr before = node.shown;
    const bool is_another = before && before->stat.czxid != now->stat.czxid;
    if (before && !is_another && before->stat.mzxid == now->stat.mzxid) return;
    if (is_another) {
        for (const std::string& name : std::set(node.children)) {
            const auto child = nodes_.find(join_path(path, name));
            const CachedNodePtr& shown = child->second.shown;
            if (shown && shown->stat.czxid < now->stat.czxid) drop(child); // a child of the earlier node at this path
        }
        hide(path, node);
        // If a list is under way, it was sent after this read, and is late enough.
        if (node.depth < shape_.depth && node.questions[list].owed != Owed::asked) ask(path, node, list);
    }
    node.shown = now;
    if (before && !is_another) tell({CacheChange::changed, path, std::move(now), before});
    else tell({CacheChange::added, path, std::move(now)});
}

void CacheMachine::hide(const std::string& path, Node& node) {
    if (const auto before = std::exchange(node.shown, nullptr)) tell({CacheChange::removed, path, nullptr, before});
}

/// A read has found that the node does not exist.
void CacheMachine::gone(Nodes::iterator which) {
    auto& [path, node] = *which;
    if (node.depth > 0) return drop(which); // the parent's list shows when it is created again
    drop_children(path, node);
    hide(path, node);
    for (Question& question : node.questions) set(question, Owed::nothing);
    ask(path, node, await);
}

void CacheMachine::drop(Nodes::iterator which) {
    auto& [path, node] = *which;
    drop_children(path, node);
    hide(path, node);
    for (Question& question : node.questions) set(question, Owed::nothing);
    const auto parent = nodes_.find(std::string(parent_path(path)));
    if (parent != nodes_.end()) parent->second.children.erase(std::string(node_name(path)));
    step_.actions.push_back(ForgetCached{path});
    nodes_.erase(which);
}

void CacheMachine::drop_children(const std::string& path, Node& node) {
    for (const std::string& name : std::set(node.children)) drop(nodes_.find(join_path(path, name)));
}

CacheStep CacheMachine::finish() {
    while (connected_ && synced_ && in_flight_ < in_flight_limit_ && !queue_.empty()) {
        const auto [path, kind] = std::move(queue_.front());
        queue_.pop_front();
        const auto found = nodes_.find(path);
        if (found == nodes_.end() || found->second.questions[kind].owed != Owed::queued) continue;
        Question& question = found->second.questions[kind];
        set(question, Owed::asked);
        question.ticket = ++last_ticket_;
        ++in_flight_;
        if (kind == read) step_.actions.push_back(ReadCached{question.ticket, path});
        else if (kind == list) step_.actions.push_back(ListCached{question.ticket, path});
        else step_.actions.push_back(AwaitRoot{question.ticket, path});
    }
    if (connected_ && synced_ && !closed_ && owed_ == 0 && !std::exchange(whole_, true)) tell({CacheChange::whole});
    return std::exchange(step_, {});
}

} // namespace docent::detail
