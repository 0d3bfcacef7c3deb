// SPDX-License-Identifier: Apache-2.0

// Writes the picture of a small world: everything on which later steps depend.

#include "picture/canonical.hpp"
#include "picture/peek.hpp"
#include "small_world.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace docent::explorer {
namespace {

using detail::NodeTree;
using detail::TextBuilder;
using detail::TreeNode;

/// Leaves out the tree's last zxid: each client's part has the changes that the client has seen.
void write_tree(TextBuilder& out, const NodeTree& tree) {
    for (const auto& [path, node] : tree.nodes()) {
        out << path;
        if (node.stat.ephemeral_owner != 0) out << " czxid " << node.stat.czxid << " session " << node.stat.ephemeral_owner;
        out << (node.acl ? " hidden\n" : "\n");
    }
}

/// Returns a hash of the text. It takes 32 characters at a time, as four independent words of eight characters.
std::uint64_t mix(std::uint64_t begin, std::string_view text) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
    std::uint64_t words[4] = {};
    std::uint64_t hash[4] = {begin, begin + 1, begin + 2, begin + 3};
    const auto add = [&](std::size_t n) {
        hash[n] = (hash[n] ^ words[n]) * odd;
        hash[n] ^= hash[n] >> 32;
    };
    std::size_t at = 0;
    for (; at + sizeof words <= text.size(); at += sizeof words) {
        std::memcpy(words, text.data() + at, sizeof words);
        for (std::size_t n = 0; n < 4; ++n) add(n);
    }
    std::fill(std::begin(words), std::end(words), 0);
    std::memcpy(words, text.data() + at, text.size() - at);
    for (std::size_t n = 0; n < 4; ++n) add(n);
    words[0] = text.size();
    add(0);
    for (std::size_t n = 1; n < 4; ++n) {
        words[0] = hash[n];
        add(0);
    }
    hash[0] = (hash[0] ^ (hash[0] >> 29)) * 0xbf58476d1ce4e5b9u;
    return hash[0] ^ (hash[0] >> 32);
}

/// Whether the czxid of a queue's node is a fencing token. The read node of a downgrade has no sequence number, and its lease
/// keeps the token of the write node.
bool is_token(const TreeNode& node) {
    return node.mode == CreateMode::ephemeral_sequential;
}
/// In lock_of_, for the read nodes of downgrades: their czxids are compared with each other only.
constexpr int beside_a_lock = 50;

/// Returns the lowest czxid of the nodes that exist and may be granted; 0: there is none.
std::int64_t oldest_in(const NodeTree& tree, const std::string& lock) {
    std::int64_t oldest = 0;
    for (const auto& name : tree.children(lock)) {
        const auto& node = *tree.find(join_path(lock, name));
        if (is_token(node) && (oldest == 0 || node.stat.czxid < oldest)) oldest = node.stat.czxid;
    }
    return oldest;
}

} // namespace

/// Writes the next sequence number of each queue. Of other containers, writes only whether they may be reaped.
void SmallWorld::write_counts(TextBuilder& out) {
    constexpr std::string_view zeros = "0000000000";
    for (const auto& [path, node] : ensemble().truth().nodes()) {
        if (node.mode != CreateMode::container) continue;
        if (is_queue(path)) {
            const auto number = std::to_string(node.children_made);
            out << zeros.substr(number.size()) << number << '\n';
        } else {
            out << (node.children_made > 0) << '\n';
        }
    }
}

/// Notes which transaction belongs to which lock: czxids are compared only within a lock.
void SmallWorld::note_numbers() {
    const auto& tree = ensemble().truth();
    if (std::exchange(noted_until_, tree.zxid()) == tree.zxid()) return;
    for (std::size_t queue = 0; queue < plan_.queues.size(); ++queue) {
        for (const auto& name : tree.children(plan_.queues[queue].first)) {
            const auto& node = *tree.find(join_path(plan_.queues[queue].first, name));
            const auto czxid = static_cast<std::size_t>(node.stat.czxid);
            if (lock_of_.size() <= czxid) lock_of_.resize(czxid + 1);
            lock_of_[czxid] = is_token(node) ? static_cast<int>(queue) + 1 : beside_a_lock;
        }
    }
}

/// Whether a client was served decides which clients of its group may be served next: see may_be_served().
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

/// Returns true if a node may be unreadable, at a server, now or later.
bool SmallWorld::may_hide() {
    if (!plan_.hides || faults_left_ > 0) return plan_.hides;
    const auto hides = [](const NodeTree& tree) {
        const auto& nodes = tree.nodes();
        return std::any_of(nodes.begin(), nodes.end(), [](const auto& each) { return each.second.acl != nullptr; });
    };
    bool is_unseen = false;
    ensemble().for_each_unseen_by(1, [&](std::int64_t, const detail::TreeTxn& change) {
        is_unseen = is_unseen || std::holds_alternative<detail::TreeSetAcl>(change);
    });
    return is_unseen || hides(ensemble().truth()) || hides(ensemble().seen_by(1));
}

/// Returns true if the node is unreadable at the follower when the follower learns the change `zxid`.
bool SmallWorld::is_hidden_before(const std::string& path, std::int64_t zxid) {
    const auto* const node = ensemble().seen_by(1).find(path);
    bool hidden = node && node->acl;
    ensemble().for_each_unseen_by(1, [&](std::int64_t changed_at, const detail::TreeTxn& change) {
        const auto* const set = std::get_if<detail::TreeSetAcl>(&change);
        if (set && set->path == path && changed_at < zxid) hidden = set->acl != nullptr;
    });
    return hidden;
}

void SmallWorld::write_news(TextBuilder& out, const Unseen& unseen) {
    const auto visitors = this->visitors();
    // The nodes that the follower has when it learns this change: it has them now, or learns their creates before.
    const auto write_nodes = [&](const auto& goes) {
        const auto write_node = [&](const std::string& path, std::int64_t czxid, std::int64_t owner) {
            if (!goes(path, owner)) return;
            out << ' ' << path << " czxid " << czxid << " session " << owner
                << (is_hidden_before(path, unseen.zxid) ? " hidden" : "");
        };
        for (const auto& [path, node] : ensemble().seen_by(1).nodes())
            write_node(path, node.stat.czxid, node.stat.ephemeral_owner);
        ensemble().for_each_unseen_create_by(1, [&](std::int64_t zxid, const detail::TreeCreate& made) {
            if (zxid < unseen.zxid) write_node(made.path, zxid, made.owner);
        });
    };
    const auto write = [&](const auto& each) {
        using Change = std::decay_t<decltype(each)>;
        if constexpr (std::is_same_v<Change, detail::TreeCreate>) {
            out << '+' << each.path << " czxid " << unseen.zxid << " session " << each.owner;
        } else if constexpr (std::is_same_v<Change, detail::TreeEndSession>) {
            out << "end of session " << each.session;
            write_nodes([&](const std::string& path, std::int64_t owner) {
                return owner == each.session && is_looked_at(visitors, path, owner, unseen.zxid);
            });
        } else if constexpr (std::is_same_v<Change, detail::TreeSet>) {
            out << '=' << each.path << ' ' << each.data;
        } else if constexpr (std::is_same_v<Change, detail::TreeSetAcl>) {
            out << (each.acl ? "hidden " : "shown ") << each.path;
        } else if constexpr (std::is_same_v<Change, detail::TreeCount>) {
            out << '#' << each.path << ' ' << each.children_made;
        } else {
            static_assert(std::is_same_v<Change, detail::TreeRemove>);
            out << '-' << each.path;
            write_nodes([&](const std::string& path, std::int64_t) { return path == each.path; });
        }
        out << '\n';
    };
    for (const auto* const change : unseen.news) std::visit(write, *change);
    if (!unseen.news.empty()) out << "then\n";
}

/// Clients that are done for good are all written alike.
void SmallWorld::write(TextBuilder& out, std::size_t index, const std::vector<Unseen>& news) {
    out << begin_of_client;
    if (is_over(index)) {
        out << "over\n";
        return;
    }
    auto& own = client(index);
    const bool keeps_nodes = reductions_.watches && !may_move(index) && !keeps(index);
    detail::FakeClient::PictureTerms terms{reductions_.dooms && parts_[index].doomed, !reductions_.forgetting, keeps_nodes};
    if (keeps_nodes) terms.awaiting = watches_ahead(own);
    for (const auto& [queue, names] : plan_.queues) {
        if (goes_by_place(index, queue)) terms.lines.push_back(queue);
    }
    if (may_hide()) terms.hiding = {&ensemble().truth(), &ensemble().seen_by(1)};
    own.write_picture(out, terms);
    out << (parts_[index].silent ? "silent" : "") << (parts_[index].doomed ? "doomed" : "")
        << (reductions_.places && parts_[index].is_new ? "new" : "");
    if (entry_matters(index)) out << (entered_[index] ? "entered" : "");
    for (std::size_t n = 0; n < contenders_.size(); ++n) {
        if (contenders_[n].client() != index) continue;
        contenders_[n].write(out);
        out << (could_proceed_[n] ? " could proceed " : " ");
        const auto knows = contenders_[n].is_deaf()
                               ? std::nullopt
                               : contenders_[n].peek({keeps_nodes ? &own : nullptr, looks_from_its_nodes(index)});
        if (knows) histories_[n].write_open(out, [&](const Together& together) { return is_open(n, together); });
        else histories_[n].write_all(out);
        if (knows) out << ' ' << *knows;
        out << '\n';
    }
    out << (ensemble().alive(own.session().session_id) ? "alive " : "");
    write_owed(out, own, !reductions_.knowing || at_work(index) > 2);
    const bool hears_nothing = reductions_.dooms && parts_[index].doomed;
    const auto* const follower = follower_may_matter() ? &ensemble().seen_by(1) : nullptr;
    const auto behind = [&](std::int64_t zxid) {
        return static_cast<std::size_t>(
            std::count_if(news.begin(), news.end(), [&](const auto& each) { return !each.news.empty() && each.zxid <= zxid; }));
    };
    if (may_move(index)) own.write_behind(out, follower, behind, hears_nothing, !reductions_.forgetting);
    out << '\n';
}

/// A token below all tokens that can still be granted is written as 0.
void SmallWorld::write_tokens(TextBuilder& out) {
    for (const auto& [lock, tokens] : referee_.tokens()) {
        const auto oldest = oldest_in(ensemble().truth(), lock);
        const auto written = [&](std::int64_t token) { return oldest > token || oldest == 0 ? 0 : token; };
        if (written(tokens.all) == 0) continue;
        out << lock << " czxid " << written(tokens.all) << " czxid " << written(tokens.writers) << '\n';
    }
}

/// `path`: a node that an administrator took. Returns true if a contender may still own its lock: the contender holds it or may
/// be granted it, and has not heard of the end of its session.
bool SmallWorld::may_be_owned(const std::string& path) {
    return std::any_of(contenders_.begin(), contenders_.end(), [&](const Contender& one) {
        const auto& session = client(one.client()).session();
        return one.may_own() && session.session_id == taken_from_.at(path) && session.reason != server_error::session_expired;
    });
}

/// Writes the picture with the actual names: numbers are not replaced yet.
void SmallWorld::write_with_actual_names(TextBuilder& out) {
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (!is_over(index)) out << "session " << client(index).session().session_id << '\n';
    }
    const bool has_follower = follower_may_matter();
    write_tree(out, ensemble().truth());
    write_counts(out);
    const auto news = has_follower ? unseen() : std::vector<Unseen>{};
    for (const auto& each : news) write_news(out, each);
    const auto length_of_trees = out.text().size();
    for (std::size_t index = 0; index < parts_.size(); ++index) write(out, index, news);
    out << begin_of_client;
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (!is_over(index)) write_known(out, client(index), length_of_trees, !reductions_.forgetting);
    }
    write_tokens(out);
    for (const auto& path : referee_.taken()) {
        const bool is_known = out.text().find(std::string_view(path).substr(path.rfind('/') + 1)) != std::string_view::npos;
        if (!is_known || !may_be_owned(path)) continue;
        out << path << (referee_.was_granted(path) ? " granted " : "") << (referee_.was_free(path) ? " free " : "");
    }
    if (turn_) out << "turn of " << *turn_ << (parts_[*turn_].joined ? " joined\n" : "\n");
    out << ledger_.picture();
}

std::string SmallWorld::picture() {
    TextBuilder actual, picture;
    write_with_actual_names(actual);
    write_canonical(picture, actual.text(), lock_of_);
    picture << (node_was_removed_ ? "removed" : "");
    return picture.take();
}

std::optional<SmallWorld::Fingerprints> SmallWorld::fingerprints_unless(const std::function<bool(std::uint64_t)>& was_seen) {
    static TextBuilder actual, picture; // static, to reuse their memory
    actual.clear();
    write_with_actual_names(actual);
    const std::uint64_t excuse = node_was_removed_ ? 0x100 : 0; // see is_explained()
    // The canonical form also depends on lock_of_.
    const std::string_view locks(reinterpret_cast<const char*>(lock_of_.data()), lock_of_.size() * sizeof lock_of_.front());
    if (was_seen(mix(mix(faults_left_ + 1 + excuse, locks), actual.text()))) return std::nullopt;
    picture.clear();
    write_canonical(picture, actual.text(), lock_of_);
    const auto with = [&](std::uint64_t part) { return mix(faults_left_ + 1 + part, picture.text()); };
    return Fingerprints{with(excuse), node_was_removed_ ? std::optional(with(0)) : std::nullopt};
}

} // namespace docent::explorer
