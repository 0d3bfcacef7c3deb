// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"

#include <docent/error.hpp>
#include <docent/operation_options.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace docent::detail {

/// Remove these nodes, all in one round trip.
struct RemoveNodes {
    std::vector<std::string> paths;
    friend bool operator==(const RemoveNodes&, const RemoveNodes&) = default;
};
/// Read the names of this node's children.
struct ListNode {
    std::string path;
    friend bool operator==(const ListNode&, const ListNode&) = default;
};
/// Pause, then wait for a connection.
struct PauseRemoval {
    std::chrono::milliseconds length{0};
    friend bool operator==(const PauseRemoval&, const PauseRemoval&) = default;
};
struct FinishRemoval {
    error_code ec = {};
    friend bool operator==(const FinishRemoval&, const FinishRemoval&) = default;
};
using RemoveTreeAction = std::variant<RemoveNodes, ListNode, PauseRemoval, FinishRemoval>;

/// Removes a node with all nodes below it. Takes four round trips if its children have no children. Pure.
class RemoveTreeMachine {
public:
    RemoveTreeMachine(std::string root, RetryBudget budget) : root_(std::move(root)), budget_(budget) {}

    RemoveTreeAction start();
    /// The results for the paths of the last RemoveNodes.
    RemoveTreeAction on_removed(const std::vector<error_code>& results, steady_clock::time_point now, std::uint64_t random);
    RemoveTreeAction on_listed(error_code ec, const std::vector<std::string>& names, steady_clock::time_point now,
                               std::uint64_t random);
    /// Connected again after a pause.
    RemoveTreeAction on_connected();
    bool leaves_session(std::uint64_t epoch) { return budget_.leaves_session(epoch); }

private:
    struct Open { // a node with children
        std::string path;
        bool children_gone = false;
        int lists = 0;
    };

    RemoveTreeAction remove(std::vector<std::string> paths);
    RemoveTreeAction next();
    RemoveTreeAction again(error_code ec, steady_clock::time_point now, std::uint64_t random);

    std::string root_;
    RetryBudget budget_;
    std::vector<Open> open_;             // the last entry is the present one
    std::vector<std::string> removing_;  // the nodes of the last request
    std::vector<std::string> to_remove_; // the nodes to request again
    bool seen_ = false;                  // the root existed
    bool root_in_doubt_ = false;
};

/// Removes a node with all nodes below it: carries out the actions of a RemoveTreeMachine.
class RemoveTreeOperation final : public ConnectedOperation<> {
public:
    RemoveTreeOperation(std::shared_ptr<ClientView> view, std::string path, std::int32_t version, Done<> done);

    void begin() override;

private:
    void perform(RemoveTreeAction action);
    void act(RemoveNodes action);
    void act(const ListNode& action);
    void act(const PauseRemoval& action);
    void act(const FinishRemoval& action) { finish(action.ec); }

    std::string path_;
    std::int32_t version_; // of the node itself
    std::optional<RemoveTreeMachine> machine_;
};

/// Wraps `done`. Applies `if_missing` to the error. With Guarantee::background, a removal that was cancelled or has no
/// answer continues in the background.
Done<> finish_remove(std::shared_ptr<ClientView> view, std::string path, RemoveOptions options, Done<> done);

} // namespace docent::detail
