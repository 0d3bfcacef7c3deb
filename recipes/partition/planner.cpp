// SPDX-License-Identifier: Apache-2.0
#include "partition/planner.hpp"

#include "base/time_over.hpp"
#include "partition/escape.hpp"
#include "partition/rendezvous.hpp"

#include <algorithm>
#include <utility>

namespace docent::detail {
namespace {

constexpr std::string_view member_mark = "member-";

/// The pause before another look after an error. Outages end with an event; the obstacle is usually an ACL, which lasts.
constexpr std::chrono::seconds looks_again_after{1};

/// How much later each member writes than the member before it, so that usually only the first one writes.
constexpr std::chrono::milliseconds between_turns{200};
constexpr std::ptrdiff_t most_turns = 10;

/// After so many lost writes in a row, the plan itself may be the reason: a server with a small jute.maxbuffer ends the
/// connection.
constexpr int most_lost_writes = 3;

/// Whether the plan has each item once. A plan that was changed by hand may not.
bool is_complete(const Plan& plan, std::vector<std::string> items) {
    std::vector<std::string> assigned;
    for (const auto& [id, member] : plan.members) assigned.insert(assigned.end(), member.items.begin(), member.items.end());
    if (assigned.size() != items.size()) return false;
    std::sort(assigned.begin(), assigned.end());
    std::sort(items.begin(), items.end());
    return assigned == items;
}

} // namespace

std::string format_member(const MemberName& member) {
    return std::string(member_mark) + std::to_string(member.weight) + '-' + hex16(member.digest) + '-' + escaped(member.id);
}

std::optional<MemberName> parse_member(std::string_view name) {
    if (!name.starts_with(member_mark)) return std::nullopt;
    name.remove_prefix(member_mark.size());
    MemberName member;
    if (!read_number(take_until(name, '-'), member.weight) || member.weight == 0 || member.weight > max_weight)
        return std::nullopt;
    const auto digest = take_until(name, '-');
    if (digest.size() != 16 || !read_number(digest, member.digest, 16)) return std::nullopt;
    auto id = unescaped(name);
    if (!id || id->empty()) return std::nullopt;
    member.id = std::move(*id);
    return member;
}

Planner::Planner(Setting setting)
    : setting_(std::move(setting)), digest_(digest_of(setting_.items)),
      own_name_(format_member({setting_.weight, digest_, setting_.id})), membership_(setting_.times) {}

// ---- events

PlanActions Planner::on_joined(Time now) {
    joined_ = true;
    return look(now);
}

PlanActions Planner::on_session_lost() {
    PlanActions actions;
    joined_ = looks_ = looks_again_ = writes_ = may_write_ = false;
    membership_.forget();
    assign(actions, {});
    return actions;
}

PlanActions Planner::on_changed(Time now) {
    return look(now);
}

PlanActions Planner::on_written(error_code ec, Time now) {
    writes_ = false;
    if (ec == server_error::throttled) return {WaitForPlan{now + looks_again_after}};
    lost_writes_ = ec == condition::outcome_unknown ? lost_writes_ + 1 : 0;
    const bool is_outdated = ec == server_error::bad_version || ec == server_error::no_node || ec == server_error::node_exists;
    const bool is_refused = ec && !is_outdated && (!is_lost(ec) || lost_writes_ >= most_lost_writes);
    write_refused_ = is_refused;
    if (!is_refused) return look(now); // whatever has become of the write, the plan's node shows it
    PlanActions actions;
    report(actions, ec, "cannot write the plan");
    actions.emplace_back(WaitForPlan{now + looks_again_after});
    return actions;
}

PlanActions Planner::on_leaving() {
    left_ = true;
    if (!joined_) return {};
    return may_write_ && !writes_ ? leave() : PlanActions{ReadPlan{}};
}

PlanActions Planner::on_looked_leaving(const PlanSeen& seen) {
    auto plan = !seen.ec && seen.data ? parse_plan(*seen.data) : std::nullopt;
    if (!plan || plan->digest != digest_) return {};
    const auto is_namesake = [&](const std::string& name) {
        const auto member = parse_member(name);
        return member && name != own_name_ && member->digest == digest_ && member->id == setting_.id;
    };
    if (std::any_of(seen.names.begin(), seen.names.end(), is_namesake)) return {}; // the items are the other member's
    plan_ = std::move(plan);
    version_ = seen.version;
    return leave();
}

PlanActions Planner::leave() const {
    if (!plan_ || !version_) return {};
    Weights others = weights_of(*plan_);
    if (others.erase(setting_.id) == 0 || others.empty()) return {};
    return {WritePlan{format_plan(next_plan(*plan_, setting_.items, others)), version_}};
}

PlanActions Planner::look(Time now) {
    if (!joined_ || left_ || writes_) return {};
    if (looks_) {
        looks_again_ = true;
        return {};
    }
    looks_ = true;
    looks_again_ = false;
    look_began_ = now;
    return {ReadPlan{}};
}

// ---- what a look shows

/// The members that are present. Of two nodes with one id, the node with the weight of the plan counts, because its member has
/// the items. Without such a node, the node with the smaller name counts.
Planner::Presence Planner::presence_of(const std::vector<std::string>& names, const std::optional<Plan>& plan) const {
    auto sorted = names;
    std::sort(sorted.begin(), sorted.end());
    Presence presence;
    const auto is_planned = [&](const MemberName& member) {
        if (!plan || plan->digest != digest_) return false;
        const auto planned = plan->members.find(member.id);
        return planned != plan->members.end() && planned->second.weight == member.weight;
    };
    bool is_present = false;
    for (const auto& name : sorted) {
        const auto member = parse_member(name);
        if (!member) continue;
        if (member->digest != digest_) {
            presence.plan_has_others = presence.plan_has_others || (plan && member->digest == plan->digest);
            continue;
        }
        if (is_planned(*member)) presence.members[member->id] = member->weight;
        else presence.members.emplace(member->id, member->weight);
        is_present = is_present || name == own_name_;
    }
    presence.own = is_present && presence.members.at(setting_.id) == setting_.weight;
    presence.id_is_taken = is_present && !presence.own;
    return presence;
}

/// How long this member leaves the write to the members before it.
Planner::Time::duration Planner::turn(const Weights& present) const {
    const auto own = present.find(setting_.id);
    return between_turns * std::min<std::ptrdiff_t>(std::distance(present.begin(), own), most_turns);
}

PlanActions Planner::on_looked(const PlanSeen& seen, Time now) {
    PlanActions actions;
    if (!looks_ || !joined_ || left_) return actions;
    looks_ = may_write_ = false;
    if (looks_again_) return look(now);
    if (seen.ec) {
        const bool is_outage = seen.ec == condition::outcome_unknown || seen.ec == error::not_connected;
        if (!is_outage) report(actions, seen.ec, "cannot read the plan");
        actions.emplace_back(WaitForPlan{now + looks_again_after});
        return actions;
    }
    auto plan = seen.data ? parse_plan(*seen.data) : std::nullopt;
    if (seen.data && !plan) { // data of another program, or of a later version of docent: only its owner may remove it
        membership_.forget(); // changes of the members are not noticed meanwhile
        report(actions, error::corrupt_data,
               "the plan's node has data that is no plan; delete the node if no other program uses it");
        return actions;
    }
    const auto presence = presence_of(seen.names, plan);
    const bool is_ours = plan && plan->digest == digest_;
    version_ = seen.data ? std::optional(seen.version) : std::nullopt;
    if (plan && !is_ours && presence.plan_has_others) {
        membership_.forget();
        report(actions, server_error::bad_arguments, "the present members have other items; give all members the same items");
        assign(actions, {});
        return actions;
    }
    if (presence.id_is_taken) {
        membership_.forget();
        report(actions, server_error::node_exists,
               "another member has this id, or this member's last session has not ended; give each member its own id");
        assign(actions, {});
        return actions;
    }
    if (!write_refused_) reported_ = {};
    if (is_ours) plan_ = std::move(plan); // if the node was deleted, the last plan is still the best one to go on from
    membership_.on_seen(is_ours ? std::optional(weights_of(*plan_)) : std::nullopt, presence.members, look_began_);
    if (is_ours) {
        const auto own = plan_->members.find(setting_.id);
        assign(actions, own == plan_->members.end() ? std::vector<std::string>() : own->second.items);
    }
    if (!presence.own) return actions; // its node was deleted, and will be made again
    may_write_ = true;
    const auto turn_after = turn(presence.members);
    auto due = membership_.due(look_began_ - turn_after);
    if (!due && is_ours && !plan_->members.empty() && !is_complete(*plan_, setting_.items)) due = weights_of(*plan_);
    if (due) {
        writes_ = true;
        actions.emplace_back(WritePlan{format_plan(next_plan(plan_.value_or(Plan{}), setting_.items, *due)), version_});
        return actions;
    }
    write_refused_ = false; // no write is due
    lost_writes_ = 0;
    reported_ = {};
    if (const auto next = membership_.next_due()) actions.emplace_back(WaitForPlan{std::max(*next + turn_after, now)});
    return actions;
}

void Planner::assign(PlanActions& actions, std::vector<std::string> items) {
    if (assigned_ == items) return;
    assigned_ = items;
    actions.emplace_back(AssignItems{std::move(items)});
}

void Planner::report(PlanActions& actions, error_code ec, std::string text) {
    if (std::exchange(reported_, ec) == ec) return;
    actions.emplace_back(ReportObstacle{ec, std::move(text)});
}

} // namespace docent::detail
