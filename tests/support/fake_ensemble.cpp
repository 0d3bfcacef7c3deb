// SPDX-License-Identifier: Apache-2.0
#include "fake_ensemble.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace docent::detail {

std::int64_t FakeEnsemble::open_session(Time now) {
    ping_until(now);
    sessions_[++last_session_] = now;
    return last_session_;
}

bool FakeEnsemble::touch(std::int64_t session, Time now) {
    ping_until(now);
    const auto found = sessions_.find(session);
    if (found == sessions_.end()) return false;
    found->second = std::max(found->second, now);
    return true;
}

void FakeEnsemble::ping_until(Time now) {
    if (!next_ping_) next_ping_ = now + ping_gap;
    for (; *next_ping_ <= now; *next_ping_ += ping_gap) {
        for (auto& noted : noted_) {
            for (const std::int64_t session : std::exchange(noted, {})) {
                const auto found = sessions_.find(session);
                if (found != sessions_.end()) found->second = std::max(found->second, *next_ping_);
            }
        }
    }
}

void FakeEnsemble::lose_quorum_until(Time time) {
    quorum_from_ = std::max(quorum_from_, time);
    for (auto& noted : noted_) noted.clear();
    for (auto& [session, heard] : sessions_) heard = std::max(heard, quorum_from_);
}

void FakeEnsemble::go_back_to(const Past& past, Time now) {
    truth_ = past.tree;
    truth_.begin_epoch(++epoch_);
    sessions_ = past.sessions;
    for (auto& [session, heard] : sessions_) heard = now;
    for (auto& noted : noted_) noted.clear();
    log_.clear();
    joined_.clear();
    trees_.assign(server_count, truth_);
    applied_.assign(server_count, 0);
}

void FakeEnsemble::end_session(std::int64_t session) {
    if (sessions_.erase(session) != 0) commit(TreeEndSession{session});
}

void FakeEnsemble::commit(TreeTxn txn) {
    truth_.apply(txn);
    log(std::move(txn));
    on_commit();
}

void FakeEnsemble::learn_one(std::size_t server) {
    do {
        const std::size_t next = applied_[server]++;
        const TreeTxn txn = log_[next];
        for (const auto& change : trees_[server].apply(txn, joined_[next])) on_change(server, change);
        if (const auto* end = std::get_if<TreeEndSession>(&txn)) on_session_end(server, end->session);
    } while (lags(server) && joined_[applied_[server]]);
}

void FakeEnsemble::learn_all(std::size_t server) {
    while (lags(server)) learn_one(server);
}

zk::Reply FakeEnsemble::answer(std::size_t server, std::int64_t session, const zk::Request& request, Time now) {
    ping_until(now);
    noted_[server].insert(session);
    if (!zk::passes_leader(request)) return read(trees_[server], request, exists_needs);
    if (!alive(session)) return {.ec = server_error::session_expired};
    auto reply = write(session, request);
    learn_all(server); // a server learns all earlier commits before it replies
    return reply;
}

zk::Reply FakeEnsemble::write(std::int64_t session, const zk::Request& request) {
    if (!alive(session)) return {.ec = server_error::session_expired};
    auto written =
        detail::write(truth_, {.session = session}, request, [this](const TreeNode& parent) { return next_number(parent); });
    for (std::size_t i = 0; i < written.txns.size(); ++i) log(std::move(written.txns[i]), i > 0);
    if (!written.txns.empty()) on_commit();
    return std::move(written.reply);
}

/// Returns the number of the next child. After the last number, children get the last number again. But if a child is created
/// while the previous create is still being applied, the server counts on, and the 32-bit number is negative. Here, two of
/// three children get such a number.
std::int32_t FakeEnsemble::next_number(const TreeNode& parent) {
    constexpr auto last = std::numeric_limits<std::int32_t>::max();
    if (parent.children_made < last) return detail::next_number(parent);
    const auto beyond = made_beyond_last_++ % 3;
    return beyond == 0 ? last : std::numeric_limits<std::int32_t>::min() + beyond - 1;
}

void FakeEnsemble::number_next_child(const std::string& path, std::int32_t number) {
    auto all = ancestor_paths(path);
    all.push_back(path);
    for (const auto& each : all) {
        if (!truth_.find(each)) commit(TreeCreate{each, "", CreateMode::container, 0});
    }
    commit(TreeCount{path, number});
}

void FakeEnsemble::reap_empty_containers() {
    for (const auto& path : truth_.empty_containers()) commit(TreeRemove{path});
}

} // namespace docent::detail
