// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"
#include "client/operations/remove_tree_machine.hpp"

#include <docent/operation_options.hpp>

namespace docent::detail {

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

/// Wraps `done` for these options: changes the result, and lets a failed removal continue in the background.
Done<> finish_remove(std::shared_ptr<ClientView> view, std::string path, RemoveOptions options, Done<> done);

} // namespace docent::detail
