// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds the recipes that have made the children of a path, and their holders. Pure.

#include "client/operations/request_operation.hpp"
#include "names/node_name.hpp"

#include <docent/recipes/inspection.hpp>

#include <memory>
#include <string>
#include <vector>

namespace docent::detail {

/// The node whose children are classified.
enum class ChildrenOf {
    path,   // the recipe's path
    gate,   // `locks` of a semaphore
    leases, // `leases` of a semaphore
};

struct Classified {
    std::vector<Participant> participants; // from the names only: without data, session and token
    std::vector<std::string> strangers;
    bool is_semaphore = false; // it has a gate and leases, which must be listed as well
};

/// `others`: names of other libraries at the path itself; may be null.
Classified classify(const std::string& path, ChildrenOf which, const std::vector<std::string>& children,
                    const OtherNamesPtr& others = nullptr);

/// Lists a recipe's path (of a semaphore, also its gate and leases), and then reads all nodes at once.
class InspectOperation final : public Operation {
public:
    InspectOperation(std::shared_ptr<ClientView> view, std::string path, OtherNamesPtr others, Done<Inspection> done)
        : view_(std::move(view)), path_(std::move(path)), others_(std::move(others)), done_(std::move(done)) {}

    void begin() override;
    void abort(error_code ec) override;

private:
    using OnReply = void (InspectOperation::*)(std::size_t index, zk::Reply& reply);

    /// Calls `on_reply` for each reply, except for errors other than no_node; calls `then` after the last reply.
    void ask(std::vector<zk::Request> requests, OnReply on_reply, void (InspectOperation::*then)());
    void on_path(std::size_t index, zk::Reply& reply);
    void list_semaphore();
    void on_semaphore(std::size_t index, zk::Reply& reply);
    void read_nodes();
    void on_node(std::size_t index, zk::Reply& reply);
    void look_at_unreadable(); // servers before 3.8.4 return the Stat without READ
    void on_unreadable(std::size_t index, zk::Reply& reply);
    static void set_stat(Participant& participant, const Stat& stat);
    void complete();
    void add(Classified found, const std::string& below);
    void finish(error_code ec, Inspection inspection = {});

    std::shared_ptr<ClientView> view_;
    std::string path_;
    OtherNamesPtr others_;
    Done<Inspection> done_;
    std::vector<std::shared_ptr<Operation>> under_way_;
    std::size_t open_ = 0;
    Inspection found_;
    std::vector<std::size_t> unreadable_; // indices of participants
    std::vector<bool> gone_;
    bool is_semaphore_ = false;
    bool exists_ = false;
};

} // namespace docent::detail
