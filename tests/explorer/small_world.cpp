// SPDX-License-Identifier: Apache-2.0
#include "small_world.hpp"

#include "picture/canonical.hpp"
#include "picture/peek.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace docent::explorer {
namespace {

using detail::NodeTree;

std::size_t client_count(const Plan& plan) {
    return plan.placement.size();
}

std::map<std::string, std::size_t> limits_of(const Plan& plan) {
    std::map<std::string, std::size_t> limits;
    if (plan.limit > 0) limits["/s/leases"] = static_cast<std::size_t>(plan.limit);
    return limits;
}

} // namespace

SmallWorld::SmallWorld(const Plan& plan, std::size_t faults, Choose choose, const Reductions& reductions)
    : plan_(plan), faults_left_(faults), reductions_(reductions),
      world_(0, static_cast<int>(client_count(plan)), plan.queues.front().first, plan.queues.front().second),
      ledger_(ensemble().truth()), parts_(client_count(plan)), referee_(ensemble().truth(), limits_of(plan)),
      entered_(client_count(plan)) {
    std::int32_t first_number = 0;
    for (const auto& [path, names] : plan.queues) {
        ensemble().number_next_child(path, first_number += numbers_apart);
        if (path != plan.queues.front().first) world_.add_queue(path, names);
    }
    if (std::any_of(plan.parts.begin(), plan.parts.end(), [](const auto& part) { return part.request.commits; })) {
        ensemble().number_next_child(detail::Ledger::path, 0);
        ensemble().number_next_child("/docent/transactions", 0);
    }
    for (std::size_t server = 0; server < detail::FakeEnsemble::server_count; ++server) ensemble().learn_all(server);
    world_.surroundings().choose = [this, choose = std::move(choose)](std::size_t bound) {
        const auto chosen = choose(bound);
        chosen_ += std::to_string(chosen);
        return chosen;
    };
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        client(index).let_guids_be_of_one_length();
        client(index).connect(plan.placement[index]);
    }
    for (const auto& part : plan.parts)
        contenders_.emplace_back(world_, ledger_, part.client, contenders_.size() + 1, part.request);
    histories_.resize(contenders_.size());
    could_proceed_.resize(contenders_.size());
    settle();
}

std::string SmallWorld::name_of(std::size_t contender) const {
    return "contender " + std::to_string(contender + 1) + " (client " + std::to_string(contenders_[contender].client() + 1) +
           ")";
}

// ---- violations

/// Returns true if an event has given this contender a reason to fail.
bool SmallWorld::is_explained(const error_code& ec, Contender& contender) {
    if (ec == boost::asio::error::operation_aborted) return contender.cancelled;
    const bool in_doubt = ec == condition::outcome_unknown || ec == condition::session_ended;
    if (ec == error::lease_lost || in_doubt) return !undisturbed_;
    if (ec == server_error::no_auth) return node_was_hidden_;
    return ec == error::lock_node_deleted && node_was_removed_;
}

/// Checks all contenders after each step.
void SmallWorld::observe() {
    referee_.look();
    ledger_.look();
    complain(ledger_.complaint());
    std::vector<LeaseCorePtr> owned;
    for (auto& contender : contenders_) {
        if (!contender.complaint.empty()) complain(contender.complaint);
        for (auto& lease : contender.owned()) owned.push_back(std::move(lease));
        if (undisturbed_ && contender.was_in_doubt()) complain("what is held is not owned, and nothing has gone wrong");
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
    const NodeTree& truth = ensemble().truth();
    for (const auto& [path, node] : truth.nodes()) {
        const auto keeps = [&path = path](const detail::FakeClient& one) { return one.keeps_marker(path); };
        bool kept = false;
        for (std::size_t index = 0; index < parts_.size(); ++index) kept = kept || keeps(client(index));
        if (node.stat.ephemeral_owner != 0 && !kept) return path + " is left behind";
    }
    ensemble().learn_all(1);
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        const std::string whose = " of client " + std::to_string(index + 1);
        if (client(index).open_removals() != 0) return "a removal is open" + whose;
        // Watches on the lists of permits and of a kept lock's queue may remain: the fake client cannot remove a watch.
        if (plan_.limit == 0 && !keeps(index) && client(index).watches() != 0) return "a watch is left on the server" + whose;
        if (client(index).live_sinks() != 0) return "somebody waits for a watch" + whose;
    }
    return {};
}

} // namespace docent::explorer
