// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"
#include "client/operations/node_claims.hpp"
#include "client/operations/request_operation.hpp"

#include <docent/client.hpp>
#include <docent/create_mode.hpp>
#include <docent/error.hpp>
#include <docent/stat.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace docent::detail {

/// Create the node at `path`. With `with_parents`, create its ancestors first, in the same round trip.
struct SendCreate {
    std::string path;
    bool with_parents = false;
    friend bool operator==(const SendCreate&, const SendCreate&) = default;
};
/// Sync and list `parent`, to find out whether a create with a lost reply was applied.
struct FindCreated {
    std::string parent;
    friend bool operator==(const FindCreated&, const FindCreated&) = default;
};
/// Read the Stat of a node that was found.
struct ReadCreated {
    std::string path;
    friend bool operator==(const ReadCreated&, const ReadCreated&) = default;
};
/// Pause, then wait for a connection.
struct PauseCreate {
    std::chrono::milliseconds length{0};
    friend bool operator==(const PauseCreate&, const PauseCreate&) = default;
};
/// Remove every node with this GUID below `parent`, in the background.
struct AbandonCreated {
    std::string parent;
    std::string guid;
    friend bool operator==(const AbandonCreated&, const AbandonCreated&) = default;
};
struct FinishCreate {
    error_code ec;
    std::string path = {};
    Stat stat = {};
    friend bool operator==(const FinishCreate&, const FinishCreate&) = default;
};
using CreateAction = std::variant<SendCreate, FindCreated, ReadCreated, PauseCreate, AbandonCreated, FinishCreate>;
using CreateActions = std::vector<CreateAction>;

/// One create, up to a certain end: Curator's protected create, with the `sync` that Curator omits. Pure.
class CreateMachine {
public:
    struct Plan {
        std::string path;
        CreateMode mode = CreateMode::persistent;
        bool is_protected = false;
        int parent_attempts = 0; // how often missing parents may be created
    };
    /// The present session.
    struct Session {
        std::uint64_t epoch = 0;
        std::int64_t id = 0;
    };
    using NewGuid = std::function<std::string()>;

    CreateMachine(Plan plan, RetryBudget budget, NewGuid new_guid);

    CreateActions start(Session session);
    CreateActions on_created(error_code ec, std::string path, const Stat& stat, steady_clock::time_point now,
                             std::uint64_t random);
    CreateActions on_found(error_code ec, const std::vector<std::string>& children, steady_clock::time_point now,
                           std::uint64_t random);
    /// `is_anothers`: another create of this session has made the node.
    CreateActions on_read(error_code ec, const Stat& stat, steady_clock::time_point now, std::uint64_t random,
                          bool is_anothers = false);
    /// Connected again after a pause.
    CreateActions on_connected(Session session);
    bool leaves_session(std::uint64_t epoch) { return budget_.leaves_session(epoch); }
    /// The retries left for the next steps of the call.
    const RetryBudget& budget() const { return budget_; }
    /// Whether a create with an unknown outcome was sent.
    bool in_doubt() const { return in_doubt_; }
    /// Whether the node is known by its path and session only. Then another create of this session may have written its data.
    bool known_by_session() const { return guid_.empty() && !found_.empty(); }
    /// The call was cancelled, or its time is over.
    CreateActions on_abandoned(error_code ec);

private:
    enum class Next { create, find, read };

    CreateActions on_unreadable();
    CreateActions send(bool with_parents);
    CreateActions again(error_code ec, Next next, steady_clock::time_point now, std::uint64_t random);
    CreateActions finish(error_code ec);
    std::string node_path() const;
    std::string parent() const;

    Plan plan_;
    RetryBudget budget_;
    NewGuid new_guid_;
    Session session_;   // of the last attempt
    std::string guid_;  // empty without protection
    std::string found_; // the path of a node that this call may have made
    Next next_ = Next::create;
    bool in_doubt_ = false;
    int parents_made_ = 0;
    error_code last_error_;
};

/// Carries out the actions of a CreateMachine.
class CreateOperation final : public ConnectedOperation<Created> {
public:
    CreateOperation(std::shared_ptr<ClientView> view, zk::CreateRequest request, CreateOptions options, Done<Created> done,
                    std::optional<RetryBudget> budget = {});

    void begin() override;
    void abort(error_code ec) override;
    bool in_doubt() const override { return machine_ && machine_->in_doubt(); }

    /// Null before the first attempt.
    const CreateMachine* machine() const { return machine_ ? &*machine_ : nullptr; }

private:
    void perform(CreateActions actions);
    void act(SendCreate action);
    void act(FindCreated action);
    void act(ReadCreated action);
    void on_read(const zk::Reply& reply);
    void act(PauseCreate action);
    void act(AbandonCreated action);
    void act(FinishCreate action);
    CreateMachine::Session session() const;

    zk::CreateRequest request_;
    CreateOptions options_;
    std::optional<RetryBudget> budget_; // from the call that this is a part of
    std::optional<CreateMachine> machine_;
    std::optional<NodeClaims::Registration> registration_; // for a node whose only mark of its owner is the session
    std::string refused_parent_;                           // the parent that is missing and may not be created
};

/// A create with `CreateOptions::if_exists`, for the case that the node exists.
class CreateOrOperation final : public RequestSequence<Created> {
public:
    CreateOrOperation(std::shared_ptr<ClientView> view, zk::CreateRequest request, CreateOptions options, Done<Created> done);

private:
    std::shared_ptr<Operation> first() override { return create(); }
    std::shared_ptr<Operation> create();
    void on_created(error_code ec, Created created);
    void look_at_existing();
    void on_existing(error_code ec, const zk::Reply& reply);
    bool is_same(const zk::Reply& reply) const;

    zk::CreateRequest request_;
    CreateOptions options_;
    std::shared_ptr<CreateOperation> creating_;
    int rounds_ = 0;
};

} // namespace docent::detail
