// SPDX-License-Identifier: Apache-2.0
#include "partition/planner.hpp"

#include "partition/escape.hpp"
#include "partition/rendezvous.hpp"
#include "partition/words.hpp"

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

PlanActions Planner::on_time(Time now) {
    return look(now);
}

PlanActions Planner::on_written(error_code ec, Time now) {
    writes_ = false;
    const bool is_refused = ec && ec != server_error::bad_version && ec != server_error::no_node &&
                            ec != server_error::node_exists && ec != condition::outcome_unknown && ec != error::not_connected;
    write_refused_ = is_refused;
    if (!is_refused) return look(now); // whatever has become of the write, the plan's node shows it
    PlanActions actions;
    report(actions, ec, "write the plan");
    actions.emplace_back(WaitForPlan{now + looks_again_after});
    return actions;
}

PlanActions Planner::on_leaving() {
    left_ = true;
    PlanActions actions;
    if (!joined_ || !may_write_ || writes_ || !plan_ || !version_) return actions;
    Weights others = weights_of(*plan_);
    if (others.erase(setting_.id) == 0 || others.empty()) return actions;
    actions.emplace_back(WritePlan{format_plan(next_plan(*plan_, setting_.items, others)), version_});
    return actions;
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

/// The members that are present. Of two nodes with one id, the node with the smaller name counts.
Planner::Presence Planner::presence_of(const std::vector<std::string>& names, const std::optional<Plan>& plan) const {
    auto sorted = names;
    std::sort(sorted.begin(), sorted.end());
    Presence presence;
    for (const auto& name : sorted) {
        const auto member = parse_member(name);
        if (!member) continue;
        if (member->digest != digest_) {
            presence.plan_has_others = presence.plan_has_others || (plan && member->digest == plan->digest);
            continue;
        }
        const bool first = presence.members.emplace(member->id, member->weight).second;
        if (name != own_name_) continue;
        presence.own = first;
        presence.id_is_taken = !first;
    }
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
        if (!is_outage) report(actions, seen.ec, "read the plan");
        actions.emplace_back(WaitForPlan{now + looks_again_after});
        return actions;
    }
    auto plan = seen.data ? parse_plan(*seen.data) : std::nullopt;
    if (seen.data && !plan) { // data of another program, or of a later version of docent: only its owner may remove it
        membership_.forget(); // changes of the members are not noticed meanwhile
        report(actions, error::corrupt_data, "the plan's node has other data");
        return actions;
    }
    const auto presence = presence_of(seen.names, plan);
    const bool is_ours = plan && plan->digest == digest_;
    version_ = seen.data ? std::optional(seen.version) : std::nullopt;
    if (plan && !is_ours && presence.plan_has_others) {
        membership_.forget();
        report(actions, server_error::bad_arguments, "the present members have other items");
        assign(actions, {});
        return actions;
    }
    if (presence.id_is_taken) {
        membership_.forget();
        report(actions, server_error::node_exists, "another member has this id, or the last session of this one has not ended");
        assign(actions, {});
        return actions;
    }
    if (!write_refused_) reported_ = {};
    if (is_ours) plan_ = std::move(plan); // if the node was deleted, the last plan is still the best one to go on from
    membership_.on_seen(is_ours ? std::optional(weights_of(*plan_)) : std::nullopt, presence.members, look_began_);
    if (!presence.own) return actions; // its node was deleted, and will be made again
    may_write_ = true;
    if (is_ours) {
        const auto own = plan_->members.find(setting_.id);
        assign(actions, own == plan_->members.end() ? std::vector<std::string>() : own->second.items);
    }
    const auto turn_after = turn(presence.members);
    if (const auto due = membership_.due(look_began_ - turn_after)) {
        writes_ = true;
        actions.emplace_back(WritePlan{format_plan(next_plan(plan_.value_or(Plan{}), setting_.items, *due)), version_});
    } else if (const auto next = membership_.next_due()) {
        actions.emplace_back(WaitForPlan{std::max(*next + turn_after, now)});
    }
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
