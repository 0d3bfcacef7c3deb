// SPDX-License-Identifier: Apache-2.0
#pragma once

// A member of a partition: joins, carries out the actions of its Planner, and has a selector for each of its items.

#include "client/core/operation.hpp"
#include "group/persistent_node_core.hpp"
#include "leader/selector_core.hpp"
#include "partition/planner.hpp"

#include <docent/recipes/partitioner.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace docent::detail {

// The nodes below a partition's path.
inline constexpr std::string_view members_name = "members"; // has a child for each member
inline constexpr std::string_view plan_name = "plan";       // its data is the plan
inline constexpr std::string_view items_name = "items";     // has a child for each item: the path of a mutex

std::string members_path(std::string_view path);
std::string plan_path(std::string_view path);
std::string item_path(std::string_view path, std::string_view item);

/// Members are called on the strand unless they say otherwise.
class PartitionCore final : public std::enable_shared_from_this<PartitionCore> {
public:
    /// Makes the work of an item. Empty: the user acquires the items.
    using MakeWork = std::function<SelectorCore::Work(const std::string& item)>;

    /// `options` are checked, and have an id.
    PartitionCore(std::shared_ptr<ClientView> view, std::string path, std::vector<std::string> items, PartitionOptions options,
                  MakeWork make_work, FailureReportsPtr reports, BootNow boot_now = &session::BootClock::now);

    // From any thread.
    const std::shared_ptr<ClientView>& view() const noexcept { return view_; }
    const std::string& path() const noexcept { return path_; }
    const std::string& id() const noexcept { return options_.id; }
    /// Errors: `error::closed`, `error::other_process`.
    error_code start();
    /// The items that this member certainly has.
    std::map<std::string, Leadership> owned() const;
    /// Whether the calling thread runs a function of the user. Such a thread must not wait for the end of close().
    bool works_here() const;

    /// Calls `listener` with the items that the plan assigns to this member. Without MakeWork, the core does nothing else
    /// with the items.
    Registration listen(std::function<void(const std::vector<std::string>&)> listener) {
        return assignments_.add(std::move(listener));
    }
    /// Calls a function of the user, unless the partitioner is closed. close() waits for its end. From any thread.
    void call(const std::function<void()>& function) { reports_->call(function); }
    /// Calls `done` when all work has ended, no function of the user is called any more, and the server has confirmed the
    /// removal of the nodes or the connection broke.
    void close(std::function<void()> done);

    /// For tests.
    const Planner& planner() const noexcept { return planner_; }

private:
    enum class State { latent, started, closed };
    struct Slot {
        std::shared_ptr<SelectorCore> selector;
        bool ends = false;  // the selector is closed, and its work may go on
        bool wanted = true; // the plan assigns the item to this member
    };
    using Slots = std::map<std::string, Slot, std::less<>>;

    void join();
    void on_session_event(const SessionEvent& event);
    void on_member_event(const PersistentNodeEvent& event);
    void perform(const PlanActions& actions);
    void act(const ReadPlan& action);
    void act(const WritePlan& action);
    void act(const WaitForPlan& action);
    void act(const AssignItems& action);
    void act(const ReportObstacle& action);
    void write(const WritePlan& action, std::function<void(error_code)> done);
    void leave(const PlanActions& actions, int tries, const std::function<void()>& done);
    zk::WatchSink make_watch();
    void begin_item(const std::string& item, Slot& slot);
    void end_item(const std::string& item, Slot& slot);
    void on_item_ended(const std::string& item);
    void report(error_code ec, const std::string& text);
    void answer_close_calls();

    const std::shared_ptr<ClientView> view_;
    const std::string path_;
    const PartitionOptions options_;
    const MakeWork make_work_;
    const FailureReportsPtr reports_;
    const BootNow boot_now_;
    const LeaseTerms terms_; // of the leases of all items
    const WorkThreadsPtr work_threads_ = std::make_shared<WorkThreads>();
    Planner planner_;
    const std::shared_ptr<PersistentNodeCore> member_;
    std::atomic<State> state_{State::latent};
    mutable std::mutex mutex_;
    Slots slots_; // written on the strand under the mutex

    std::uint64_t term_ = 0; // grows when the session is lost, and in close(): answers to earlier requests are ignored
    zk::WatchSink members_watch_;
    zk::WatchSink plan_watch_;
    Listeners<const std::vector<std::string>&> assignments_;
    Registration timer_;
    Registration session_;
    Registration member_events_;
    int leaving_ = 0;          // steps of close() that are under way
    bool reports_end_ = false; // reports_ was closed
    std::vector<std::function<void()>> closing_;
};

} // namespace docent::detail
