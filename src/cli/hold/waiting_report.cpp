// SPDX-License-Identifier: Apache-2.0

#include "cli/hold/waiting_report.hpp"
#include "cli/hold/owner.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/wait_graph.hpp"
#include "cli/signals.hpp"
#include "cli/view/shown.hpp"

#include <algorithm>
#include <set>

namespace docent::cli {

using namespace std::chrono_literals;

namespace {

// How long docent waits for a server to name the holder: while it waits for the lock, and when it ends without the lock.
constexpr milliseconds look_limit = 5s;
constexpr milliseconds last_look_limit = 3s;

bool is_silence(const error_code& ec) {
    return ec == error::not_connected || ec == server_error::operation_timeout || ec == condition::retryable;
}

/// Reports the holder of one lock, unless this process holds it already. `told`: nodes that were reported as not ephemeral.
void report(Client& client, const std::string& path, const std::string& kind, std::chrono::steady_clock::time_point begin,
            bool only_deadlocks, std::set<std::string>& told, const std::stop_token& stop) {
    const std::string name = kind + " " + path;
    const auto waited = [begin] { return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin); };
    error_code ec;
    const Inspection inspection =
        inspect(client, path, {.others = kazoo_contenders()}, ec, {.timeout = look_limit, .stop = stop});
    if (is_silence(ec) && !only_deadlocks && !stop.stop_requested())
        post_error(silence_text(name, waited(), client.last_connect_error()));
    auto holder = first_holder(inspection, client.session().session_id, std::chrono::system_clock::now());
    if (ec || !holder) return;
    holder->waits_for_us = is_below_a_holder() && waits_for_itself(inspection, path, client.session().session_id);
    if (only_deadlocks && !holder->waits_for_us) return;
    if (stop.stop_requested()) return;
    post_error(waiting_text(name, waited(), *holder));
    for (const auto& node : lasting_nodes_ahead(inspection, client.session().session_id)) {
        if (told.insert(node).second) post_error(lasting_node_text(name, node));
    }
}

/// Names a holder by its label. A request to release the lock, in front of the label, becomes a remark after it.
std::string who(const std::string& label) {
    const std::string before(without_request(label));
    if (was_asked_for(label) && before.empty()) return "a holder without a label, which was asked to give it up";
    if (was_asked_for(label)) return before + ", which was asked to give it up";
    return label.empty() ? "somebody without a label" : label;
}

std::string and_more(const Holder& holder) {
    return holder.others > 0 ? " and " + std::to_string(holder.others) + " more" : "";
}

std::vector<std::string> paths_of(const HoldRequest& request) {
    std::vector<std::string> paths = request.more_paths;
    paths.insert(paths.begin(), request.path);
    return paths;
}

} // namespace

milliseconds first_report(bool soon) {
    return soon ? 500ms : 10s;
}

milliseconds next_report(milliseconds waited) {
    return waited + std::clamp<milliseconds>(waited, 10s, 1h);
}

std::string waiting_text(const std::string& name, milliseconds waited, const Holder& holder) {
    std::string text =
        name + ": waiting for " + to_age(waited) + (holder.leads ? ", led by " : ", held by ") + who(holder.label);
    if (holder.age) text += " (its node is " + to_age(*holder.age) + " old)";
    text += and_more(holder);
    if (holder.waits_for_us) text += "; this command runs inside it (DOCENT_OWNER), so both wait for each other: a deadlock";
    if (holder.waiting > 1) text += "; " + std::to_string(holder.waiting) + " are waiting";
    return text;
}

std::string silence_text(const std::string& name, milliseconds waited, const std::string& reason) {
    return name + ": waiting for " + to_age(waited) + "; no ZooKeeper answers" + (reason.empty() ? "" : ": " + reason);
}

std::optional<Holder> first_holder(const Inspection& inspection, std::int64_t own_session,
                                   std::chrono::system_clock::time_point now) {
    std::optional<Holder> result;
    std::size_t waiting = 0;
    for (const Participant& one : inspection.participants) {
        const bool ours = one.session_id == own_session;
        if (!has_turn(one)) {
            ++waiting;
        } else if (is_reserved(one, inspection.participants)) {
            continue; // put aside for the first waiter at the gate, which counts as waiting
        } else if (!ours && !result) {
            result = Holder{.label = one.readable ? one.data : "a holder whose node may not be read",
                            .age = has_stat(one) ? std::optional(age_at(now, one.created)) : std::nullopt,
                            .leads = one.recipe == RecipeKind::leader_latch};
        } else if (!ours) {
            ++result->others;
        }
    }
    if (result) result->waiting = waiting;
    return result;
}

std::vector<std::string> lasting_nodes_ahead(const Inspection& inspection, std::int64_t own_session) {
    const auto& all = inspection.participants;
    const auto own = std::find_if(all.begin(), all.end(),
                                  [&](const Participant& one) { return one.session_id == own_session && !has_turn(one); });
    std::vector<std::string> nodes;
    if (own == all.end()) return nodes;
    std::for_each(all.begin(), own, [&](const Participant& one) {
        if (has_stat(one) && one.session_id == 0 && one.recipe == own->recipe) nodes.push_back(one.node_path);
    });
    return nodes;
}

std::string lasting_node_text(const std::string& name, const std::string& node) {
    return name + ": the node " + node +
           " is not ephemeral: it does not end with a session; if its owner is gone, remove it: docent break " + node;
}

bool waits_for_itself(const Inspection& inspection, const std::string& path, std::int64_t own_session) {
    for (const Participant& one : inspection.participants) {
        if (!one.readable) return false; // its session and its owner may be unknown
    }
    const auto deadlocks = find_deadlocks({{path, inspection.participants}});
    return std::any_of(deadlocks.begin(), deadlocks.end(), [&](const Deadlock& deadlock) {
        return deadlock.certain && std::any_of(deadlock.cycle.begin(), deadlock.cycle.end(),
                                               [&](const Wait& wait) { return wait.waiter.session_id == own_session; });
    });
}

std::string held_by(Client& client, const HoldRequest& request) {
    for (const auto& path : paths_of(request)) {
        error_code ec;
        const auto holder =
            first_holder(inspect(client, path, {.others = kazoo_contenders()}, ec, {.timeout = last_look_limit}),
                         client.session().session_id, std::chrono::system_clock::now());
        if (ec == condition::retryable || ec == server_error::operation_timeout) return {};
        if (ec || !holder) continue;
        return (request.more_paths.empty() ? "" : path + " is ") + "held by " + who(holder->label) + and_more(*holder);
    }
    return {};
}

void report_waiting(Client& client, const HoldRequest& request, const std::string& kind, milliseconds waited,
                    const std::stop_token& stop) {
    const auto paths = paths_of(request);
    const auto begin = std::chrono::steady_clock::now() - waited;
    std::set<std::string> told;
    while (!stop.stop_requested()) {
        const bool only_deadlocks = request.quiet || waited < first_report(request.verbose);
        for (const auto& path : paths) report(client, path, kind, begin, only_deadlocks, told, stop);
        waited = next_report(waited);
        pause_for(std::chrono::ceil<milliseconds>(begin + waited - std::chrono::steady_clock::now()), stop);
    }
}

} // namespace docent::cli
