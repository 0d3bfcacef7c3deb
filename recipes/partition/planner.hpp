// SPDX-License-Identifier: Apache-2.0
#pragma once

// One member's part in the plan: reads the list of the present members and the plan, learns which items are assigned to it, and
// writes the next plan when a change of the members counts. Any member may write; the first present member does, and the others
// only if it has not. A write needs the version that was read, so of two writes only one succeeds. Pure.

#include "partition/membership.hpp"
#include "partition/plan.hpp"

#include <docent/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace docent::detail {

/// A member's node: `member-WEIGHT-DIGEST-ID`. A list of the nodes shows everything that others must know of a member.
struct MemberName {
    std::uint32_t weight = 1;
    std::uint64_t digest = 0; // of its items
    std::string id = {};
    friend bool operator==(const MemberName&, const MemberName&) = default;
};
std::string format_member(const MemberName& member);
/// Nothing for a node that is no member's.
std::optional<MemberName> parse_member(std::string_view name);

/// Read the names of the members and the plan, with a sync ahead and with watches: on_looked().
struct ReadPlan {
    friend bool operator==(const ReadPlan&, const ReadPlan&) = default;
};
/// Write the plan if it has this version, or create it: on_written().
struct WritePlan {
    std::string text;
    std::optional<std::int32_t> version = {}; // nothing: create
    friend bool operator==(const WritePlan&, const WritePlan&) = default;
};
/// Call on_changed() at this time, unless another WaitForPlan or a ReadPlan comes first.
struct WaitForPlan {
    Membership::Time until;
    friend bool operator==(const WaitForPlan&, const WaitForPlan&) = default;
};
/// From now on, these items are assigned to the member.
struct AssignItems {
    std::vector<std::string> items; // sorted
    friend bool operator==(const AssignItems&, const AssignItems&) = default;
};
/// Something keeps the member from items. Reported once, until it is over.
struct ReportObstacle {
    error_code ec;
    std::string text;
    friend bool operator==(const ReportObstacle&, const ReportObstacle&) = default;
};
using PlanAction = std::variant<ReadPlan, WritePlan, WaitForPlan, AssignItems, ReportObstacle>;
using PlanActions = std::vector<PlanAction>;

/// What a look has found.
struct PlanSeen {
    error_code ec = {};                   // of the look
    std::vector<std::string> names = {};  // of the nodes of members
    std::optional<std::string> data = {}; // of the plan's node, as stored; nothing: there is no node
    std::int32_t version = 0;             // of that node
};

class Planner {
public:
    using Time = Membership::Time;
    struct Setting {
        std::string id;
        std::uint32_t weight;
        std::vector<std::string> items;
        Membership::Times times;
    };

    explicit Planner(Setting setting);

    /// The name of this member's node.
    const std::string& node_name() const noexcept { return own_name_; }

    /// This member's node exists in the present session.
    PlanActions on_joined(Time now);
    /// The session has ended, and the member's leases and its node with it.
    PlanActions on_session_lost();
    /// A watch has reported a change, the connection is back, or the time of WaitForPlan has come.
    PlanActions on_changed(Time now);
    PlanActions on_looked(const PlanSeen& seen, Time now);
    PlanActions on_written(error_code ec, Time now);
    /// The member leaves: gives its items to the others in the plan, if there are others. Gives ReadPlan if the last look
    /// allows no write, or a write is under way. If the write fails with bad_version, read again, and call on_looked_leaving().
    PlanActions on_leaving();
    PlanActions on_looked_leaving(const PlanSeen& seen);

    /// The plan that was read last.
    const std::optional<Plan>& plan() const noexcept { return plan_; }

private:
    struct Presence {
        Weights members = {};         // with the same items as this member
        bool own = false;             // this member counts as present
        bool id_is_taken = false;     // another node with this member's id counts instead
        bool plan_has_others = false; // the plan is of other items, and members with these are present
    };

    Presence presence_of(const std::vector<std::string>& names, const std::optional<Plan>& plan) const;
    PlanActions look(Time now);
    PlanActions leave() const;
    void assign(PlanActions& actions, std::vector<std::string> items);
    void report(PlanActions& actions, error_code ec, std::string text);
    Time::duration turn(const Weights& present) const;

    const Setting setting_;
    const std::uint64_t digest_;
    const std::string own_name_;
    Membership membership_;
    bool joined_ = false;
    bool left_ = false;
    bool looks_ = false;       // a look is under way
    bool looks_again_ = false; // and something has changed since it began
    bool writes_ = false;      // a write is under way
    Time look_began_{};
    std::optional<Plan> plan_;                         // that was read last, of the own items
    std::optional<std::int32_t> version_;              // of the plan's node; nothing: there is no node
    bool may_write_ = false;                           // the last read of the plan allows a write
    bool write_refused_ = false;                       // the last write was refused
    int lost_writes_ = 0;                              // in a row, without an answer
    std::optional<std::vector<std::string>> assigned_; // the items of the last AssignItems
    error_code reported_;                              // the obstacle that was reported last
};

} // namespace docent::detail
