// SPDX-License-Identifier: Apache-2.0
#pragma once

// Carries out the actions of a PersistentNodeMachine, and calls listeners and waiters.

#include "base/listeners.hpp"
#include "client/core/connected_operation.hpp"
#include "client/core/operation.hpp"
#include "client/operations/create_operation.hpp"
#include "group/persistent_node_machine.hpp"

#include <docent/recipes/persistent_node.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace docent::detail {

/// Members are called on the strand, unless they say otherwise.
class PersistentNodeCore final : public std::enable_shared_from_this<PersistentNodeCore> {
public:
    using Listener = std::function<void(const PersistentNodeEvent&)>;
    using Waiter = std::function<void(error_code)>;

    /// `encoded`: the data as it is sent.
    PersistentNodeCore(std::shared_ptr<ClientView> view, std::string path, PersistentNodeOptions options, std::string encoded);

    // From any thread.
    const std::shared_ptr<ClientView>& view() const noexcept { return view_; }
    const std::string& path() const noexcept { return path_; }
    std::string node_path() const;
    std::string data() const;
    /// Errors: `error::closed`.
    error_code start();

    /// Calls `waiter` when the node exists with the wanted data, or with the error that prevents this. Dropping the
    /// registration cancels this.
    Registration when_settled(Waiter waiter);
    void set_data(std::string data, std::string encoded);
    /// Calls `done` when the server has confirmed the removal, or when the connection broke.
    void close(std::function<void()> done);
    Registration listen(Listener listener) { return listeners_.add(std::move(listener)); }

private:
    void begin();
    KeepAction end();
    void perform(const KeepAction& action);
    void act(const KeepWaiting&) {}
    void act(const MakeNode& action);
    void act(const LookAtNode& action);
    void act(const WriteNode& action);
    void act(const RemoveNode& action);
    void act(const PauseKeeping& action);
    void on_session_event(const SessionEvent& event);
    void finish_closing();
    RetryBudget budget() const;
    void tell(PersistentNodeChange change, const std::string& node_path, error_code reason = {});
    void tell_what_has_changed();

    const std::shared_ptr<ClientView> view_;
    const std::string path_;
    const PersistentNodeOptions options_;
    enum class State { latent, started, closed };
    std::atomic<State> state_{State::latent};
    mutable std::mutex mutex_;
    std::string node_path_; // guarded
    std::string data_;      // guarded

    std::string encoded_;
    PersistentNodeMachine machine_;
    std::weak_ptr<CreateOperation> making_;
    std::optional<NodeClaims::Registration> registration_; // for an ephemeral node with a known name: only its session marks it
    error_code told_obstacle_;
    zk::WatchSink watch_;
    std::string watched_path_;
    Registration session_;
    Registration timer_;
    std::function<void()> closing_;            // waits for the removal
    std::shared_ptr<PersistentNodeCore> owed_; // this object, until it has removed its node
    Listeners<error_code> waiting_;
    Listeners<const PersistentNodeEvent&> listeners_;
};

} // namespace docent::detail
