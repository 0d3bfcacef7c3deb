// SPDX-License-Identifier: Apache-2.0

#include "cli/top/lock_tree.hpp"
#include "cli/view/shown.hpp"

#include <docent/path.hpp>

#include <algorithm>

namespace docent::cli {

using namespace std::chrono_literals;

namespace {

constexpr auto window = 60s;
constexpr auto shortest = 5s;

constexpr std::size_t most_in_flight = 64; // requests at once
constexpr auto between_lists = 1s;         // of the same node

constexpr std::string_view gate = "locks";
constexpr std::string_view leases = "leases";

/// The queues of an inspection, for each recipe. If the inspection has only names, reserved permits count as held.
std::vector<Queue> queues_of(const Inspection& inspection) {
    std::vector<Queue> queues;
    for (const Participant& one : inspection.participants) {
        if (queues.empty() || queues.back().recipe != one.recipe) queues.push_back({.recipe = one.recipe, .kind = one.kind});
        Queue& queue = queues.back();
        if (is_reserved(one, inspection.participants)) {
            ++queue.reserved;
        } else if (has_turn(one)) {
            if (queue.holders++ == 0) queue.first_holder = one.node_path;
        } else if (queue.waiters++ == 0) {
            queue.first_waiter = one.node_path;
        }
    }
    return queues;
}

} // namespace

std::uint32_t turns_between(const QueueMark& before, const QueueMark& after) {
    if (before.czxid != after.czxid) return 0; // the parent was made again: the turns in between are unknown
    if (!before.shared && !before.first_holder.empty() && before.first_holder == after.first_holder) return 0;
    // The counter may wrap around; the difference is still right.
    const auto changes = static_cast<std::uint32_t>(after.cversion) - static_cast<std::uint32_t>(before.cversion);
    const std::int64_t more = std::int64_t{after.children} - before.children;
    const std::int64_t removed = (static_cast<std::int64_t>(changes) - more) / 2;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(removed, 0, UINT32_MAX));
}

void TurnRate::add(Time now, std::uint32_t turns) {
    while (!entries_.empty() && entries_.front().time <= now - window) entries_.pop_front();
    if (turns > 0) entries_.push_back({now, turns});
}

std::optional<double> TurnRate::per_minute(Time now) const {
    const auto known = std::min<std::chrono::steady_clock::duration>(now - start_, window);
    if (known < shortest) return std::nullopt;
    double turns = 0;
    for (const Entry& entry : entries_) {
        if (entry.time > now - window) turns += entry.turns;
    }
    return turns * (std::chrono::duration<double>(window) / std::chrono::duration<double>(known));
}

LockTree::Place* LockTree::find(const std::string& path) {
    const auto found = places_.find(path);
    return found == places_.end() ? nullptr : &found->second;
}

const LockTree::Place* LockTree::find(const std::string& path) const {
    const auto found = places_.find(path);
    return found == places_.end() ? nullptr : &found->second;
}

void LockTree::start(Time now) {
    places_.emplace(root_, Place{});
    schedule(root_, now);
}

void LockTree::schedule(const std::string& path, Time now) {
    Place* const place = find(path);
    if (place == nullptr || place->scheduled) return;
    if (place->asked) {
        place->again = true;
        return;
    }
    place->scheduled = true;
    lists_.emplace(place->last_ask ? std::max(now, *place->last_ask + between_lists) : now, path);
}

std::vector<Ask> LockTree::due(Time now) {
    std::vector<Ask> asks;
    while (in_flight_ < most_in_flight && !reads_.empty()) {
        const std::string node = std::move(reads_.front());
        reads_.pop_front();
        if (!details_.contains(node)) continue; // its details are no longer wanted
        asks.push_back({Ask::What::read, node});
        ++in_flight_;
    }
    while (in_flight_ < most_in_flight && !lists_.empty() && lists_.begin()->first <= now) {
        const std::string path = lists_.begin()->second;
        lists_.erase(lists_.begin());
        Place* const place = find(path);
        if (place == nullptr || !place->scheduled) continue; // the node has gone, and may have come again
        place->scheduled = false;
        place->asked = true;
        place->last_ask = now;
        asks.push_back({path == root_ && !root_exists_ ? Ask::What::await : Ask::What::list, path});
        ++in_flight_;
    }
    return asks;
}

std::optional<LockTree::Time> LockTree::next_time() const {
    if (lists_.empty() || in_flight_ >= most_in_flight) return std::nullopt;
    return lists_.begin()->first;
}

bool LockTree::is_semaphore(const std::string& path) const {
    const Place* const place = find(path);
    return place != nullptr && contains(place->names, leases) && (contains(place->names, gate) || has_leases(path));
}

/// Whether a path has leases. The servers remove an unused gate, also while permits are held.
bool LockTree::has_leases(const std::string& path) const {
    const Place* const below = find(join_path(path, leases));
    return below != nullptr && !inspect_names(path, {.children = {}, .leases = below->names}).participants.empty();
}

std::string LockTree::recipe_path(const std::string& path) const {
    const auto name = node_name(path);
    if (path == root_ || (name != gate && name != leases)) return path;
    const std::string parent(parent_path(path));
    return is_semaphore(parent) ? parent : path;
}

RecipeChildren LockTree::names_at(const std::string& path) const {
    RecipeChildren names;
    if (const Place* const place = find(path)) names.children = place->names;
    if (!is_semaphore(path)) return names;
    if (const Place* const below = find(join_path(path, leases))) names.leases = below->names;
    if (const Place* const below = find(join_path(path, gate))) names.gate = below->names;
    return names;
}

void LockTree::on_listed(const std::string& path, const Children& children, Time now) {
    --in_flight_;
    Place* const place = find(path);
    if (place == nullptr) return;
    if (path == root_) root_exists_ = true;
    place->asked = false;
    place->denied = false;
    place->names = children.names;
    if (std::exchange(place->again, false)) schedule(path, now);
    update_children(path, now);
    const std::string owner = recipe_path(path);
    update_recipe(owner);
    if (owner == path && node_name(path) == leases) update_recipe(std::string(parent_path(path))); // may have been its owner
    update_turns(path, children.stat, now);
}

void LockTree::update_children(const std::string& path, Time now) {
    Place& place = *find(path);
    const RecipeChildren names{place.names};
    // Nodes of a recipe have no children of interest, and neither have the leases of a semaphore.
    const bool is_leases = node_name(path) == leases && recipe_path(path) != path;
    const Inspection inspection =
        is_leases ? inspect_names(parent_path(path), {.children = {}, .leases = place.names}) : inspect_names(path, names);
    std::set<std::string> participants;
    for (const Participant& one : inspection.participants) participants.insert(one.node_path);
    std::set<std::string> below;
    for (const std::string& name : place.names) {
        const std::string child = join_path(path, name);
        if (child != "/zookeeper" && !participants.contains(child)) below.insert(child);
    }
    const std::string prefix = path == "/" ? path : path + "/";
    std::vector<std::string> gone;
    for (auto at = places_.upper_bound(prefix); at != places_.end() && at->first.starts_with(prefix); ++at) {
        if (parent_path(at->first) == path && !below.contains(at->first)) gone.push_back(at->first);
    }
    for (const std::string& child : gone) forget(child);
    place.left_out = 0;
    for (const std::string& child : below) {
        if (places_.contains(child)) continue;
        if (places_.size() >= most_nodes_) {
            ++place.left_out;
            continue;
        }
        places_.emplace(child, Place{});
        schedule(child, now);
    }
}

void LockTree::forget(const std::string& path) {
    const std::string prefix = path + "/";
    const auto erase = [&](auto at) {
        want(at->second, {});
        forgotten_.push_back(at->first);
        return places_.erase(at);
    };
    if (const auto at = places_.find(path); at != places_.end()) erase(at);
    for (auto at = places_.lower_bound(prefix); at != places_.end() && at->first.starts_with(prefix);) at = erase(at);
}

void LockTree::want(Place& place, std::set<std::string> nodes) {
    for (const std::string& node : place.wanted) {
        if (!nodes.contains(node)) details_.erase(node);
    }
    for (const std::string& node : nodes) {
        if (details_.try_emplace(node).second) reads_.push_back(node);
    }
    place.wanted = std::move(nodes);
}

void LockTree::update_recipe(const std::string& path) {
    Place* const place = find(path);
    if (place == nullptr) return;
    const Inspection inspection = inspect_names(path, names_at(path));
    place->queues = queues_of(inspection);
    place->strangers = inspection.strangers;
    place->was_lock = place->was_lock || !place->queues.empty();
    std::set<std::string> wanted;
    for (const Queue& queue : place->queues) {
        for (const auto& node : {queue.first_holder, queue.first_waiter}) {
            if (!node.empty()) wanted.insert(node);
        }
    }
    const bool has_waiters = std::any_of(inspection.participants.begin(), inspection.participants.end(),
                                         [](const Participant& one) { return is_at_gate(one); });
    if (path == open_ || has_waiters) {
        for (const Participant& one : inspection.participants) {
            if (path == open_ || one.kind == ParticipantKind::lease) wanted.insert(one.node_path);
        }
    }
    want(*place, std::move(wanted));
}

void LockTree::update_turns(const std::string& path, const Stat& stat, Time now) {
    const std::string owner = recipe_path(path);
    if (owner == path ? is_semaphore(path) : node_name(path) != leases) return; // of a semaphore, only the leases count turns
    Place& at = *find(owner);
    Place& listed = *find(path);
    QueueMark mark{.czxid = stat.czxid, .cversion = stat.cversion, .children = stat.num_children, .first_holder = {}};
    mark.shared = owner != path || at.queues.size() != 1 || at.queues.front().kind == ParticipantKind::read ||
                  at.queues.front().kind == ParticipantKind::lease;
    if (!at.queues.empty()) mark.first_holder = at.queues.front().first_holder;
    if (!at.turns) at.turns.emplace(now);
    if (listed.mark) at.turns->add(now, turns_between(*listed.mark, mark));
    listed.mark = mark;
}

void LockTree::on_awaited(const std::string& path, bool exists, Time now) {
    --in_flight_;
    Place* const place = find(path);
    if (place == nullptr) return;
    place->asked = false;
    if (std::exchange(place->again, false) || exists) {
        root_exists_ = true;
        schedule(path, now);
    }
}

void LockTree::on_read(const std::string& path, NodeDetails details) {
    --in_flight_;
    if (const auto found = details_.find(path); found != details_.end()) found->second = std::move(details);
}

void LockTree::on_failed(const Ask& ask, Failure failure, Time now) {
    --in_flight_;
    if (ask.what == Ask::What::read) {
        if (failure == Failure::denied) return; // its label stays unknown
        details_.erase(ask.path);               // the next list asks again, if the node is still there
        if (failure == Failure::later) schedule(std::string(parent_path(ask.path)), now);
        return;
    }
    Place* const place = find(ask.path);
    if (place == nullptr) return;
    place->asked = false;
    place->denied = failure == Failure::denied;
    const bool again = std::exchange(place->again, false);
    if (failure == Failure::gone && ask.path != root_) return forget(ask.path); // the parent's list shows when it comes again
    if (failure == Failure::gone) {
        place->names.clear();
        update_children(ask.path, now);
        update_recipe(ask.path);
        place->mark.reset();
        root_exists_ = false;
    }
    if (failure != Failure::denied || again) schedule(ask.path, now);
}

void LockTree::on_changed(const std::string& path, Time now) {
    if (path == root_) root_exists_ = true;
    schedule(path, now);
}

void LockTree::open(std::string path) {
    const std::string before = std::exchange(open_, std::move(path));
    update_recipe(before);
    update_recipe(open_);
}

bool LockTree::leads_to_locks(const std::string& path) const {
    if (const Place* const place = find(path); place != nullptr && place->was_lock) return true;
    const std::string prefix = path + "/";
    for (auto at = places_.lower_bound(prefix); at != places_.end() && at->first.starts_with(prefix); ++at) {
        if (at->second.was_lock) return true;
    }
    return false;
}

std::map<std::string, LockTree::Lock> LockTree::locks(Time now) const {
    std::map<std::string, Lock> result;
    for (const auto& [path, place] : places_) {
        if (!place.was_lock || recipe_path(path) != path) continue;
        const auto strangers = std::count_if(place.strangers.begin(), place.strangers.end(),
                                             [&, at = path](const auto& name) { return !leads_to_locks(join_path(at, name)); });
        const bool has_reserved = std::any_of(place.queues.begin(), place.queues.end(), [](const Queue& queue) {
            return queue.recipe == RecipeKind::semaphore && queue.waiters > 0 && queue.holders > 0;
        });
        result.emplace(path,
                       Lock{has_reserved ? queues_of(participants(path)) : place.queues, static_cast<std::size_t>(strangers),
                            place.turns ? place.turns->per_minute(now) : std::nullopt});
    }
    return result;
}

Inspection LockTree::participants(const std::string& path) const {
    Inspection result = inspect_names(path, names_at(path));
    for (Participant& one : result.participants) {
        const NodeDetails* const known = details(one.node_path);
        if (known == nullptr) continue;
        one.data = known->label;
        one.session_id = known->session_id;
        one.fencing_token = known->czxid;
        one.created = known->created;
        one.owner = known->owner;
    }
    return result;
}

const NodeDetails* LockTree::details(const std::string& node) const {
    const auto found = details_.find(node);
    return found == details_.end() || !found->second ? nullptr : &*found->second;
}

std::size_t LockTree::denied() const {
    return static_cast<std::size_t>(
        std::count_if(places_.begin(), places_.end(), [](const auto& entry) { return entry.second.denied; }));
}

std::size_t LockTree::left_out() const {
    std::size_t count = 0;
    for (const auto& [path, place] : places_) count += place.left_out;
    return count;
}

} // namespace docent::cli
