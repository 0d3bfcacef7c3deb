// SPDX-License-Identifier: Apache-2.0
#include "cli/view/queue_watch.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <future>
#include <set>
#include <utility>

namespace docent::cli {
namespace {

bool has(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

void QueueWatch::ChangeFlag::raise() {
    const std::lock_guard lock(mutex);
    raised = true;
    changed.notify_all();
}

QueueWatch::QueueWatch(Client& client, std::string path, InspectOptions options, std::stop_token stop)
    : client_(client), path_(std::move(path)), options_(std::move(options)), stop_(std::move(stop)),
      sessions_(client.listen([change = change_](const SessionEvent&) { change->raise(); })) {}

void QueueWatch::keep(Watch watch) {
    watches_.push_back(std::make_shared<Watch>(std::move(watch)));
    // A watch that is dropped ends its wait with an error, and does not ring.
    watches_.back()->async_wait([change = change_](error_code ec, const WatchEvent&) {
        if (!ec) change->raise();
    });
}

std::vector<std::string> QueueWatch::list(const std::string& path, bool wait_for_it, error_code& ec) {
    while (true) {
        auto listed = client_.children_watched(path, ec, {.stop = stop_});
        if (!ec) {
            keep(std::move(listed.watch));
            return std::move(listed.value.names);
        }
        if (ec != server_error::no_node) return {};
        ec = {};
        if (!wait_for_it) return {}; // the parent's list shows when the node comes
        auto seen = client_.exists_watched(path, ec, {.stop = stop_});
        if (ec) return {};
        if (seen.value) continue; // the node has just come
        keep(std::move(seen.watch));
        return {};
    }
}

void QueueWatch::read_details(const Inspection& inspection, error_code& ec) {
    using Answer = std::pair<error_code, NodeData>;
    std::vector<std::pair<std::string, std::future<Answer>>> asked;
    std::set<std::string> present;
    for (const Participant& one : inspection.participants) {
        present.insert(one.node_path);
        if (known_.contains(one.node_path)) continue;
        auto answer = std::make_shared<std::promise<Answer>>();
        asked.emplace_back(one.node_path, answer->get_future());
        client_.async_get(one.node_path, GetOptions{}, {.stop = stop_}, [answer](error_code failed, NodeData read) {
            answer->set_value({failed, std::move(read)});
        });
    }
    std::erase_if(known_, [&](const auto& entry) { return !present.contains(entry.first); });
    for (auto& [path, answer] : asked) {
        auto [failed, read] = answer.get();
        if (!failed) known_.emplace(path, Details{split_owner(std::move(read.data)), read.stat});
        else if (failed != server_error::no_node) ec = failed;
    }
}

Inspection QueueWatch::look(error_code& ec) {
    {
        const std::lock_guard lock(change_->mutex);
        change_->raised = false; // later changes may be missing in this look
    }
    const auto before = std::exchange(watches_, {}); // dropped after the new watches are set, which share the servers' watches
    RecipeChildren names{list(path_, true, ec)};
    if (!ec && has(names.children, "leases")) names.leases = list(join_path(path_, "leases"), false, ec);
    if (!ec && has(names.children, "locks")) names.gate = list(join_path(path_, "locks"), false, ec);
    if (ec) return {};
    Inspection result = inspect_names(path_, names, options_);
    read_details(result, ec);
    if (ec) return {};
    std::erase_if(result.participants, [&](const Participant& one) { return !known_.contains(one.node_path); });
    for (Participant& one : result.participants) {
        const Details& details = known_.at(one.node_path);
        one.data = details.owned.data;
        one.owner = details.owned.owner;
        one.session_id = details.stat.ephemeral_owner;
        one.fencing_token = details.stat.czxid;
        one.created = details.stat.ctime;
    }
    return result;
}

bool QueueWatch::wait(std::chrono::milliseconds longest) {
    std::unique_lock lock(change_->mutex);
    return change_->changed.wait_for(lock, stop_, longest, [&] { return change_->raised; });
}

} // namespace docent::cli
