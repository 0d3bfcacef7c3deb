// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>

namespace docent::chaos {
namespace {

std::size_t count_of(const std::map<std::string, std::size_t>& counts, const std::string& name) {
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
}

const char* text_of(NodeChange::Kind kind) {
    switch (kind) {
    case NodeChange::Kind::created: return " created by ";
    case NodeChange::Kind::removed: return " removed by ";
    case NodeChange::Kind::ended_with_session: return " gone with its session by ";
    }
    return "";
}

/// Says how far the run had gone.
std::string so_far(const History& history, Time time) {
    if (time == 0 || history.stricken.empty()) return {};
    const auto faults =
        std::count_if(history.strikes.begin(), history.strikes.end(), [&](Time strike) { return strike < time; });
    return " (after " + std::to_string(faults) + " faults, in second " +
           std::to_string((time - history.stricken.front()) / 1'000'000'000) + ')';
}

void print_counts(std::ostream& out, const std::map<std::string, std::size_t>& counts) {
    for (const auto& [name, count] : counts) out << "  " << std::setw(8) << count << "  " << name << '\n';
}

auto count_if(const History& history, End end) {
    return std::count_if(history.holds.begin(), history.holds.end(), [&](const Hold& hold) { return hold.end == end; });
}

auto count_if(const History& history, Outcome outcome) {
    return std::count_if(history.commits.begin(), history.commits.end(),
                         [&](const Commit& commit) { return commit.outcome == outcome; });
}

/// The longest time from a healing until the next grant of a resource in the same calm. Leaves out a resource that is not
/// granted in a calm: if the calm was long enough, check_progress() reports it.
double longest_until_progress(const History& history) {
    Time longest = 0;
    for (const Time healed : history.healed) {
        const Time until = calm_until(history, healed);
        for (const auto& [resource, grants] : history.grants) {
            const auto next = grants.upper_bound(healed);
            if (next != grants.end() && *next <= until) longest = std::max(longest, *next - healed);
        }
    }
    return static_cast<double>(longest) / 1e9;
}

/// The longest time from a healing until each item had an owner, or until the end of the run if an item had none.
double longest_until_owned(const History& history) {
    Time longest = 0;
    for (const Time healed : history.healed) {
        for (const auto& item : history.items)
            longest = std::max(longest, first_owned(history, item, healed).value_or(history.end) - healed);
    }
    return static_cast<double>(longest) / 1e9;
}

} // namespace

void print_figures(std::ostream& out, const History& history, const TransactionLogs& logs) {
    std::size_t faults = 0;
    for (const auto& [kind, count] : history.faults) faults += count;
    out << "faults: " << faults << '\n';
    print_counts(out, history.faults);
    std::map<std::string, std::size_t> grants;
    for (const auto& [resource, times] : history.grants) grants[resource] = times.size();
    out << "locks granted: " << history.holds.size() << " (released " << count_if(history, End::released) << ", lost "
        << count_if(history, End::lost) << ", ended with their process " << count_if(history, End::open) << ")\n";
    print_counts(out, grants);
    out << "of them in a node that the process already had: "
        << std::count_if(history.holds.begin(), history.holds.end(), [](const Hold& hold) { return hold.number > 1; }) << '\n';
    out << "acquires that failed, by reason:\n";
    print_counts(out, history.failures);
    out << "transactions: " << count_if(history, Outcome::committed) << " committed, " << count_if(history, Outcome::refused)
        << " refused, " << count_if(history, Outcome::unknown) << " unknown\n"
        << "asked to give up: " << count_of(history.events, "revoke") << ", heard " << count_of(history.events, "asked-for")
        << '\n'
        << "sessions: " << count_of(history.events, "session")
        << " events; processes started: " << count_of(history.events, "start") << '\n'
        << "updates lost by a store that ignores tokens: " << lost_updates(history, "unchecked")
        << ", that checks them: " << lost_updates(history, "checked") << '\n'
        << "calms: " << history.healed.size() << ", longest wait for the next grant of a recipe " << std::fixed
        << std::setprecision(1) << longest_until_progress(history) << " s, for an owner of an item of the partition "
        << longest_until_owned(history) << " s\n"
        << "times that the ensemble went back: " << history.set_backs.size()
        << ", that servers differed or kept orphaned nodes: " << history.corrupt.size() << '\n';
    if (!history.curators.empty()) {
        const auto by = [](const Hold& hold) { return hold.by_curator; };
        const auto late = [](const Hold& hold) { return hold.believed != 0; }; // only Curator's
        out << "by Curator: " << std::count_if(history.holds.begin(), history.holds.end(), by) << " locks, "
            << std::count_if(history.holds.begin(), history.holds.end(), late)
            << " of them believed in when their nodes were gone, " << ignorant_beside_others(history)
            << " beside another holder\n";
    }
    std::int64_t memory = 0;
    std::int64_t descriptors = 0;
    for (const Idle& idle : history.idles) {
        memory = std::max(memory, idle.memory);
        descriptors = std::max(descriptors, idle.descriptors);
    }
    out << "idle processes: " << memory << " KiB and " << descriptors << " descriptors at the most\n";
    if (const auto margin = smallest_margin(history, [&](const std::string& node) { return logs.ended_with_session(node); })) {
        out << "smallest margin from a holder's loss to the next grant: " << margin->time / std::chrono::milliseconds(1)
            << " ms (" << margin->text << ")\n";
    }
}

bool print_violations(std::ostream& out, Violations violations, const History& history, const TransactionLogs& logs,
                      const std::filesystem::path& folder) {
    constexpr std::size_t most_stories = 10;
    for (Violation& violation : violations) violation.evidence = evidence_in(history, logs, violation);
    // The nodes remained while a process was still busy, so it may need them: evidence makes them a violation.
    std::erase_if(violations, [](const Violation& found) { return found.kind == "orphan" && found.evidence.empty(); });
    const auto ours = std::count_if(violations.begin(), violations.end(), [](auto& found) { return found.evidence.empty(); });
    std::size_t stories = 0;
    for (const Violation& violation : violations) {
        out << "VIOLATION (" << violation.kind << "): " << violation.text << so_far(history, violation.to) << '\n';
        if (!violation.evidence.empty()) out << "  ZooKeeper's own: " << violation.evidence << '\n';
        if (++stories > most_stories) continue;
        for (const std::string& line : story_of(violation, folder)) out << "    " << line << '\n';
        for (const Hold& hold : violation.holds) {
            for (const NodeChange& change : logs.changes_of(hold.node)) {
                out << "    in the servers' logs: " << hold.node << text_of(change.kind) << change.zxid << '\n';
            }
        }
    }
    out << "violations: " << ours << ", and " << violations.size() - static_cast<std::size_t>(ours)
        << " that are ZooKeeper's own (of " << logs.transactions() << " transactions in " << logs.files() << " logs)\n";
    return ours == 0;
}

} // namespace docent::chaos
