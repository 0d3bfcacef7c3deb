// SPDX-License-Identifier: Apache-2.0
#include "small_world.hpp"

#include "canonical.hpp"
#include "peek.hpp"

#include <docent/path.hpp>

#include <boost/asio/error.hpp>

#include <algorithm>
#include <variant>

namespace docent::explorer {
namespace {

using detail::FakeNode;
using detail::FakeTree;

std::string number_text(const char* what, std::int64_t number) {
    return what + std::to_string(number) + ' ';
}

/// Which changes a client has seen is told with the client.
std::string picture_of(const FakeTree& tree) {
    std::string text;
    for (const auto& path : tree.paths()) {
        const FakeNode& node = *tree.find(path);
        text += path + ' ' + number_text("czxid ", node.stat.czxid) + number_text("session ", node.stat.ephemeral_owner) + '\n';
    }
    return text;
}

/// The numbers of the children that come next.
std::string counts_of(const FakeTree& tree) {
    std::string text;
    for (const auto& path : tree.paths()) {
        const FakeNode& node = *tree.find(path);
        const auto next = std::to_string(node.children_made);
        if (node.mode == CreateMode::container) text += std::string(10 - next.size(), '0') + next + '\n';
    }
    return text;
}

std::string picture_of(const std::pair<std::int64_t, detail::FakeTxn>& change) {
    return std::visit(
        [&](const auto& each) {
            if constexpr (requires { each.owner; })
                return "+" + each.path + number_text(" czxid ", change.first) + number_text("session ", each.owner);
            else if constexpr (requires { each.session; }) return number_text("end of session ", each.session);
            else if constexpr (requires { each.data; }) return "=" + each.path + ' ' + each.data;
            else return "-" + each.path;
        },
        change.second);
}

std::size_t client_count(const Plan& plan) {
    return plan.placement.size();
}

std::map<std::string, std::size_t> limits_of(const Plan& plan) {
    std::map<std::string, std::size_t> limits;
    if (plan.limit > 0) limits["/s/leases"] = static_cast<std::size_t>(plan.limit);
    return limits;
}

std::uint64_t mix(std::uint64_t hash, const std::string& text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    hash ^= hash >> 29;
    return hash * 0xbf58476d1ce4e5b9u + 0x9e3779b97f4a7c15u;
}

} // namespace

SmallWorld::SmallWorld(const Plan& plan, std::size_t faults, Choose choose, bool all_orders)
    : plan_(plan), faults_left_(faults), all_orders_(all_orders),
      world_(0, static_cast<int>(client_count(plan)), plan.queues.front().first, plan.queues.front().second),
      ledger_(ensemble().truth()), parts_(client_count(plan)), referee_(ensemble().truth(), limits_of(plan)),
      entered_(client_count(plan)) {
    for (const auto& [path, names] : plan.queues) {
        ensemble().number_next_child(path, 0);
        if (path != plan.queues.front().first) world_.add_queue(path, names);
    }
    if (std::any_of(plan.parts.begin(), plan.parts.end(), [](const auto& part) { return part.wish.commits; })) {
        ensemble().number_next_child(detail::Ledger::path, 0);
        ensemble().number_next_child("/docent/transactions", 0);
    }
    for (std::size_t server = 0; server < detail::FakeEnsemble::server_count; ++server) ensemble().learn_all(server);
    world_.surroundings().choose = [this, choose = std::move(choose)](std::size_t bound) {
        const auto chosen = choose(bound);
        chosen_ += std::to_string(chosen);
        return chosen;
    };
    for (std::size_t index = 0; index < parts_.size(); ++index) client(index).connect(plan.placement[index]);
    for (const auto& part : plan.parts)
        contenders_.emplace_back(world_, ledger_, part.client, part.wish, std::to_string(contenders_.size() + 1));
    histories_.resize(contenders_.size());
    settle();
}

std::string SmallWorld::name_of(std::size_t contender) const {
    return "contender " + std::to_string(contender + 1) + " (client " + std::to_string(contenders_[contender].client() + 1) +
           ")";
}

// ---- what must never be

/// Whether what has happened to it is a reason to fail.
bool SmallWorld::is_explained(const error_code& ec, Contender& contender) {
    if (ec == boost::asio::error::operation_aborted) return contender.cancelled;
    const bool in_doubt = ec == condition::outcome_unknown || ec == condition::session_ended;
    if (ec == error::lease_lost || in_doubt) return !undisturbed_;
    return ec == error::lock_node_deleted && node_was_removed_;
}

/// Looks at everybody, after each step.
void SmallWorld::observe() {
    referee_.look();
    ledger_.look();
    complain(ledger_.complaint());
    std::vector<LeaseCorePtr> owned;
    for (auto& contender : contenders_) {
        if (!contender.complaint.empty()) complain(contender.complaint);
        for (auto& lease : contender.owned()) owned.push_back(std::move(lease));
        if (const auto ec = contender.take_failure(); ec && !is_explained(ec, contender)) {
            complain("an operation failed for no good reason: " + ec.message());
        }
    }
    if (!owned.empty()) complain(referee_.judge(owned));
    if (!world_.twins().empty()) complain("a create was applied twice: " + *world_.twins().begin());
}

std::string SmallWorld::complaint_at_end() {
    for (std::size_t n = 0; n < contenders_.size(); ++n) {
        if (contenders_[n].state() != Contender::State::done) return name_of(n) + " waits for ever";
        if (contenders_[n].has_operation()) return "an operation of " + name_of(n) + " has not ended";
    }
    const FakeTree& truth = ensemble().truth();
    for (const auto& path : truth.paths()) {
        if (truth.find(path)->stat.ephemeral_owner != 0) return path + " is left behind";
    }
    ensemble().learn_all(1);
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        const std::string whose = " of client " + std::to_string(index + 1);
        if (client(index).open_removals() != 0) return "a removal is open" + whose;
        // The list of permits goes on, and nobody takes its watch away: the fake client cannot.
        if (plan_.limit == 0 && client(index).watches() != 0) return "a watch is left on the server" + whose;
        if (client(index).live_sinks() != 0) return "somebody waits for a watch" + whose;
    }
    return {};
}

// ---- which state it is

/// A contender is what it has heard, unless all that came of it can be seen: when nothing is to be answered to it any more, and
/// what it knows is known.
void SmallWorld::forget_history(std::size_t contender) {
    if (client(contenders_[contender].client()).awaits_answer(contender + 1)) return;
    if (auto knows = contenders_[contender].peek()) histories_[contender] = std::move(*knows);
}

/// One that is done for good is like any other one that is.
std::string SmallWorld::client_picture(std::size_t index) {
    if (is_over(index)) return "over\n";
    std::string text = client(index).picture() + (parts_[index].silent ? "silent" : "") + (entered_[index] ? "entered" : "");
    for (std::size_t n = 0; n < contenders_.size(); ++n) {
        if (contenders_[n].client() == index) text += contenders_[n].picture() + ' ' + histories_[n] + '\n';
    }
    text += ensemble().alive(client(index).session().session_id) ? "alive " : "";
    const bool follower_counts = follower_may_matter();
    return text + peek(client(index)) + peek_behind(client(index), follower_counts ? &ensemble().seen_by(1) : nullptr) + '\n';
}

std::uint64_t SmallWorld::fingerprint() {
    return mix(faults_left_ + 1, picture());
}

std::string SmallWorld::picture() {
    std::string text = picture_of(ensemble().truth()) + counts_of(ensemble().truth());
    if (follower_may_matter()) {
        text += picture_of(ensemble().seen_by(1));
        std::int64_t before = 0;
        for (const auto& change : ensemble().unseen_by(1)) {
            text += (std::exchange(before, change.first) == change.first ? "with it " : "") + picture_of(change) + '\n';
        }
    }
    for (std::size_t index = 0; index < parts_.size(); ++index) text += client_picture(index);
    for (const auto& [lock, tokens] : referee_.tokens()) {
        text += lock + number_text(" czxid ", tokens.all) + number_text(" czxid ", tokens.writers);
    }
    for (const auto& path : referee_.taken()) {
        if (text.find(path.substr(path.rfind('/') + 1)) == std::string::npos) continue; // nobody knows it any more
        text += path + (referee_.was_granted(path) ? " granted " : "") + (referee_.was_free(path) ? " free " : "");
    }
    if (turn_) text += "turn of " + std::to_string(*turn_) + '\n';
    text += ledger_.picture() + (node_was_removed_ ? "removed" : "");
    return canonical(text);
}

} // namespace docent::explorer
