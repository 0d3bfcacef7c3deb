// SPDX-License-Identifier: Apache-2.0
#include "fake_ensemble.hpp"

#include <docent/path.hpp>

#include <cstdio>
#include <limits>

namespace docent::detail {

std::int64_t FakeEnsemble::open_session(Time now) {
    sessions_[++last_session_] = now;
    return last_session_;
}

bool FakeEnsemble::touch(std::int64_t session, Time now) {
    const auto found = sessions_.find(session);
    if (found == sessions_.end()) return false;
    found->second = now;
    return true;
}

void FakeEnsemble::end_session(std::int64_t session) {
    if (sessions_.erase(session) != 0) commit(FakeEndSession{session});
}

void FakeEnsemble::commit(FakeTxn txn) {
    truth_.apply(txn);
    log_.push_back(std::move(txn));
    on_commit();
}

void FakeEnsemble::learn_one(std::size_t server) {
    const FakeTxn txn = log_[applied_[server]++];
    for (const auto& change : trees_[server].apply(txn)) on_change(server, change);
    if (const auto* end = std::get_if<FakeEndSession>(&txn)) on_session_end(server, end->session);
}

void FakeEnsemble::learn_all(std::size_t server) {
    while (lags(server)) learn_one(server);
}

zk::Reply FakeEnsemble::answer(std::size_t server, std::int64_t session, const zk::Request& request, Time now) {
    if (zk::passes_leader(request)) {
        // In the order of commits: what was applied before is known to the server before it answers.
        if (!touch(session, now)) return {.ec = server_error::session_expired};
        auto reply = write(session, request);
        learn_all(server);
        return reply;
    }
    const FakeTree& tree = trees_[server];
    const std::string& path = zk::path_of(request);
    const FakeNode* node = tree.find(path);
    if (!node) return {.ec = server_error::no_node};
    zk::Reply reply{.stat = node->stat};
    if (std::holds_alternative<zk::GetRequest>(request)) reply.data = node->data;
    if (std::holds_alternative<zk::ChildrenRequest>(request)) reply.children = tree.children(path);
    return reply;
}

zk::Reply FakeEnsemble::write(std::int64_t session, const zk::Request& request) {
    if (!alive(session)) return {.ec = server_error::session_expired};
    if (const auto* made = std::get_if<zk::CreateRequest>(&request)) return create(session, *made);
    if (std::holds_alternative<zk::SyncRequest>(request)) return {};
    if (const auto* multi = std::get_if<zk::MultiRequest>(&request)) return write_all(session, *multi);
    const FakeNode* node = truth_.find(zk::path_of(request));
    if (!node) return {.ec = server_error::no_node};
    if (const auto* removed = std::get_if<zk::RemoveRequest>(&request)) {
        if (node->stat.num_children > 0) return {.ec = server_error::not_empty};
        commit(FakeRemove{removed->path});
    } else if (const auto* set = std::get_if<zk::SetRequest>(&request)) {
        commit(FakeSet{set->path, set->data});
    }
    return {};
}

/// Knows no more than recipes use: checks of existence, creates with a known name, sets of what was just made.
zk::Reply FakeEnsemble::write_all(std::int64_t session, const zk::MultiRequest& multi) {
    zk::Reply reply;
    for (const auto& operation : multi.operations) {
        error_code& ec = reply.results.emplace_back().ec;
        if (const auto* check = std::get_if<zk::CheckRequest>(&operation); check && !truth_.find(check->path)) {
            ec = server_error::no_node;
        }
        if (const auto* made = std::get_if<zk::CreateRequest>(&operation); made && truth_.find(made->path)) {
            ec = server_error::node_exists;
        }
        if (ec && !reply.ec) reply.ec = ec;
    }
    if (reply.ec) return reply;
    for (std::size_t i = 0; i < multi.operations.size(); ++i) {
        if (const auto* made = std::get_if<zk::CreateRequest>(&multi.operations[i])) create(session, *made);
        if (const auto* set = std::get_if<zk::SetRequest>(&multi.operations[i])) {
            commit(FakeSet{set->path, set->data});
            reply.results[i].stat = truth_.find(set->path)->stat;
        }
    }
    return reply;
}

zk::Reply FakeEnsemble::create(std::int64_t session, const zk::CreateRequest& request) {
    const FakeNode* parent = truth_.find(std::string(parent_path(request.path)));
    if (!parent) return {.ec = server_error::no_node};
    std::string path = request.path;
    if (is_sequential(request.mode)) {
        char digits[16];
        std::snprintf(digits, sizeof digits, "%010d", next_number(*parent));
        path += digits;
    }
    if (truth_.find(path)) return {.ec = server_error::node_exists};
    commit(FakeCreate{path, request.data, request.mode, session});
    return {.path = path, .stat = truth_.find(path)->stat};
}

/// A child that is made while the one before it is still being applied gets the number that follows the last one: with 32 bits
/// that is a negative one. Some are, by turns.
std::int32_t FakeEnsemble::next_number(const FakeNode& parent) {
    constexpr auto last = std::numeric_limits<std::int32_t>::max();
    if (parent.children_made < last) return parent.children_made;
    const auto beyond = made_beyond_last_++ % 3;
    return beyond == 0 ? last : std::numeric_limits<std::int32_t>::min() + beyond - 1;
}

void FakeEnsemble::number_next_child(const std::string& path, std::int32_t number) {
    auto all = ancestor_paths(path);
    all.push_back(path);
    for (const auto& each : all) {
        if (!truth_.find(each)) commit(FakeCreate{each, "", CreateMode::container, 0});
    }
    commit(FakeCount{path, number});
}

void FakeEnsemble::reap_empty_containers() {
    for (const auto& path : truth_.paths()) {
        const FakeNode* node = truth_.find(path);
        if (node->mode == CreateMode::container && node->children_made > 0 && node->stat.num_children == 0) {
            commit(FakeRemove{path});
        }
    }
}

} // namespace docent::detail
