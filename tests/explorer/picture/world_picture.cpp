// SPDX-License-Identifier: Apache-2.0

// Which state a small world is in: what comes next depends on nothing that is not told here.

#include "picture/canonical.hpp"
#include "picture/peek.hpp"
#include "small_world.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <variant>

namespace docent::explorer {
namespace {

using detail::FakeNode;
using detail::FakeTree;
using detail::TextBuilder;

/// Which changes a client has seen is told with the client.
void write(TextBuilder& out, const FakeTree& tree) {
    for (const auto& path : tree.paths()) {
        const FakeNode& node = *tree.find(path);
        out << path << " czxid " << node.stat.czxid << " session " << node.stat.ephemeral_owner << '\n';
    }
}

/// The numbers of the children that come next.
void write_counts(TextBuilder& out, const FakeTree& tree) {
    for (const auto& path : tree.paths()) {
        const FakeNode& node = *tree.find(path);
        if (node.mode != CreateMode::container) continue;
        const auto next = std::to_string(node.children_made);
        out << std::string(10 - next.size(), '0') << next << '\n';
    }
}

void write(TextBuilder& out, std::int64_t zxid, const detail::FakeTxn& change) {
    std::visit(
        [&](const auto& each) {
            if constexpr (requires { each.owner; }) out << '+' << each.path << " czxid " << zxid << " session " << each.owner;
            else if constexpr (requires { each.session; }) out << "end of session " << each.session;
            else if constexpr (requires { each.data; }) out << '=' << each.path << ' ' << each.data;
            else out << '-' << each.path;
        },
        change);
    out << '\n';
}

/// Eight characters at a time.
std::uint64_t mix(std::uint64_t hash, std::string_view text) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
    const auto add = [&hash](std::uint64_t word) {
        hash = (hash ^ word) * odd;
        hash ^= hash >> 32;
    };
    std::size_t at = 0;
    std::uint64_t word = 0;
    for (; at + sizeof word <= text.size(); at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        add(word);
    }
    word = 0;
    std::memcpy(&word, text.data() + at, text.size() - at);
    add(word);
    add(text.size());
    hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u;
    return hash ^ (hash >> 32);
}

/// The lowest of the nodes that there are and somebody may be granted; 0: none.
std::int64_t oldest_in(const FakeTree& tree, const std::string& lock) {
    std::int64_t oldest = 0;
    for (const auto& name : tree.children(lock)) {
        const auto czxid = tree.find(join_path(lock, name))->stat.czxid;
        if (oldest == 0 || czxid < oldest) oldest = czxid;
    }
    return oldest;
}

} // namespace

/// Numbers of transactions are compared with those of the same lock.
void SmallWorld::note_numbers() {
    const auto& tree = ensemble().truth();
    if (std::exchange(noted_until_, tree.zxid()) == tree.zxid()) return;
    for (std::size_t queue = 0; queue < plan_.queues.size(); ++queue) {
        for (const auto& name : tree.children(plan_.queues[queue].first)) {
            const auto czxid = static_cast<std::size_t>(tree.find(join_path(plan_.queues[queue].first, name))->stat.czxid);
            if (lock_of_.size() <= czxid) lock_of_.resize(czxid + 1);
            lock_of_[czxid] = static_cast<int>(queue) + 1;
        }
    }
}

/// Whether it has been served tells who may be next of its group: see may_be_served().
bool SmallWorld::entry_matters(std::size_t index) {
    bool is_one_of_several = false;
    bool all_have = true;
    for (std::size_t other = 0; other < parts_.size(); ++other) {
        if (plan_.group[other] != plan_.group[index]) continue;
        is_one_of_several = is_one_of_several || other != index;
        all_have = all_have && entered_[other];
    }
    return is_one_of_several && !all_have;
}

/// One that is done for good is like any other one that is.
void SmallWorld::write(TextBuilder& out, std::size_t index) {
    out << begin_of_client;
    if (is_over(index)) {
        out << "over\n";
        return;
    }
    auto& own = client(index);
    out << own.picture(reductions_.dooms && parts_[index].doomed, !reductions_.forgetting)
        << (parts_[index].silent ? "silent" : "") << (parts_[index].doomed ? "doomed" : "");
    if (entry_matters(index)) out << (entered_[index] ? "entered" : "");
    for (std::size_t n = 0; n < contenders_.size(); ++n) {
        if (contenders_[n].client() != index) continue;
        out << contenders_[n].picture() << (could_proceed_[n] ? " could proceed " : " ");
        histories_[n].write(out);
        // What it made of what it heard is also a matter of what its client knew then.
        if (const auto knows = contenders_[n].is_deaf() ? std::nullopt : contenders_[n].peek()) out << ' ' << *knows;
        out << '\n';
    }
    out << (ensemble().alive(own.session().session_id) ? "alive " : "") << peek(own);
    const bool hears_nothing = reductions_.dooms && parts_[index].doomed;
    const auto* const follower = follower_may_matter() ? &ensemble().seen_by(1) : nullptr;
    if (may_move(index)) out << peek_behind(own, follower, hears_nothing, !reductions_.forgetting);
    out << '\n';
}

/// A token that is lower than all that can still be granted is as good as none.
void SmallWorld::write_tokens(TextBuilder& out) {
    for (const auto& [lock, tokens] : referee_.tokens()) {
        const auto oldest = oldest_in(ensemble().truth(), lock);
        const auto written = [&](std::int64_t token) { return oldest > token || oldest == 0 ? 0 : token; };
        if (written(tokens.all) == 0) continue;
        out << lock << " czxid " << written(tokens.all) << " czxid " << written(tokens.writers) << '\n';
    }
}

std::string SmallWorld::strict_picture() {
    TextBuilder out(4096);
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (!is_over(index)) out << "session " << client(index).session().session_id << '\n';
    }
    explorer::write(out, ensemble().truth());
    write_counts(out, ensemble().truth());
    if (follower_may_matter()) {
        explorer::write(out, ensemble().seen_by(1));
        std::int64_t before = 0;
        for (const auto& [zxid, change] : ensemble().unseen_by(1)) {
            out << (std::exchange(before, zxid) == zxid ? "with it " : "");
            explorer::write(out, zxid, change);
        }
    }
    const auto length_of_trees = out.text().size();
    for (std::size_t index = 0; index < parts_.size(); ++index) write(out, index);
    out << begin_of_client;
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (!is_over(index)) write_known(out, client(index), length_of_trees, !reductions_.forgetting);
    }
    write_tokens(out);
    for (const auto& path : referee_.taken()) {
        if (out.text().find(path.substr(path.rfind('/') + 1)) == std::string::npos) continue; // nobody knows it any more
        out << path << (referee_.was_granted(path) ? " granted " : "") << (referee_.was_free(path) ? " free " : "");
    }
    if (turn_) out << "turn of " << *turn_ << (parts_[*turn_].joined ? " joined\n" : "\n");
    out << ledger_.picture();
    return canonical(out.text(), lock_of_);
}

std::string SmallWorld::picture() {
    return strict_picture() + (node_was_removed_ ? "removed" : "") + (reaped_ > 1 ? "reaped" : "");
}

SmallWorld::Fingerprints SmallWorld::fingerprints() {
    const auto picture = strict_picture();
    const auto with = [&](std::uint64_t excuses) { return mix(faults_left_ + 1 + excuses, picture); };
    return {with((node_was_removed_ ? 0x100 : 0) + (reaped_ > 1 ? 0x200 : 0)),
            node_was_removed_ ? std::optional(with(0)) : std::nullopt};
}

} // namespace docent::explorer
