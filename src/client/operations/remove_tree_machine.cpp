// SPDX-License-Identifier: Apache-2.0
#include "client/operations/remove_tree_machine.hpp"

#include "base/doubt.hpp"

#include <docent/path.hpp>

#include <utility>

namespace docent::detail {
namespace {

// The limit of lists: other clients may create children meanwhile. If they keep doing so, the call fails.
constexpr int most_lists = 10;

} // namespace

RemoveTreeAction RemoveTreeMachine::start() {
    return remove({root_});
}

RemoveTreeAction RemoveTreeMachine::remove(std::vector<std::string> paths) {
    removing_ = paths;
    return RemoveNodes{std::move(paths)};
}

RemoveTreeAction RemoveTreeMachine::on_removed(const std::vector<error_code>& results, steady_clock::time_point now,
                                               std::uint64_t random) {
    error_code lost;
    to_remove_.clear();
    for (std::size_t i = 0; i < results.size(); ++i) {
        const error_code ec = results[i];
        const std::string& path = removing_[i];
        const bool is_open = !open_.empty() && open_.back().path == path;
        if (is_lost(ec)) {
            lost = ec;
            root_in_doubt_ = root_in_doubt_ || (path == root_ && ec == condition::outcome_unknown);
            to_remove_.push_back(path);
        } else if (!ec || (ec == server_error::no_node && (path != root_ || seen_ || root_in_doubt_))) {
            if (is_open) open_.pop_back();
        } else if (ec == server_error::not_empty) {
            seen_ = true;
            if (!is_open) open_.push_back({path});
            else open_.back().children_gone = false;
        } else {
            return FinishRemoval{ec};
        }
    }
    return lost ? again(lost, now, random) : next();
}

RemoveTreeAction RemoveTreeMachine::next() {
    if (open_.empty()) return FinishRemoval{};
    Open& open = open_.back();
    if (open.children_gone) return remove({open.path});
    if (++open.lists > most_lists) return FinishRemoval{server_error::not_empty};
    return ListNode{open.path};
}

RemoveTreeAction RemoveTreeMachine::on_listed(error_code ec, const std::vector<std::string>& names,
                                              steady_clock::time_point now, std::uint64_t random) {
    if (is_lost(ec)) return again(ec, now, random);
    if (ec && ec != server_error::no_node) return FinishRemoval{ec};
    Open& open = open_.back();
    open.children_gone = true; // when the children with children of their own are done
    std::vector<std::string> paths;
    paths.reserve(names.size());
    for (const std::string& name : names) paths.push_back(join_path(open.path, name));
    return paths.empty() ? next() : remove(std::move(paths));
}

RemoveTreeAction RemoveTreeMachine::again(error_code ec, steady_clock::time_point now, std::uint64_t random) {
    if (ec == error::not_connected) return PauseRemoval{}; // the request was not sent
    if (ec == server_error::auth_failed) return FinishRemoval{ec};
    const auto pause = budget_.next(ec, now, random);
    if (!pause) return FinishRemoval{ec};
    return PauseRemoval{*pause};
}

RemoveTreeAction RemoveTreeMachine::on_connected() {
    if (!to_remove_.empty()) return remove(std::exchange(to_remove_, {}));
    return ListNode{open_.back().path};
}

} // namespace docent::detail
