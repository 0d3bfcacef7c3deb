// SPDX-License-Identifier: Apache-2.0
#include "partition/partition_core.hpp"

#include "base/while_alive.hpp"
#include "client/operations/create_operation.hpp"
#include "client/operations/request_operation.hpp"
#include "partition/escape.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

namespace docent::detail {

std::string members_path(std::string_view path) {
    return join_path(path, members_name);
}

std::string plan_path(std::string_view path) {
    return join_path(path, plan_name);
}

std::string item_path(std::string_view path, std::string_view item) {
    return join_path(join_path(path, items_name), escaped(item));
}

namespace {

PlanSeen seen_in(zk::Reply members, zk::Reply plan) {
    PlanSeen seen{.names = std::move(members.children)};
    if (plan.ec) return seen; // there is no plan
    seen.version = plan.stat.version;
    seen.data = std::move(plan.data);
    return seen;
}

} // namespace

PartitionCore::PartitionCore(std::shared_ptr<ClientView> view, std::string path, std::vector<std::string> items,
                             PartitionOptions options, MakeWork make_work, FailureReportsPtr reports, BootNow boot_now)
    : view_(std::move(view)), path_(std::move(path)), options_(std::move(options)), make_work_(std::move(make_work)),
      reports_(std::move(reports)), boot_now_(std::move(boot_now)),
      terms_(lease_terms(*view_, path_, SelectorOptions{.id = options_.id, .label = options_.label})),
      planner_({options_.id, options_.weight, std::move(items), {options_.join_delay, options_.leave_grace}}),
      member_(std::make_shared<PersistentNodeCore>(view_, join_path(members_path(path_), planner_.node_name()),
                                                   PersistentNodeOptions{}, "")) {}

// ---- from any thread

error_code PartitionCore::start() {
    if (!view_->is_here()) return error::other_process;
    auto state = State::latent;
    if (state_.compare_exchange_strong(state, State::started)) {
        view_->post([self = shared_from_this()] { self->join(); });
    }
    return state == State::closed ? make_error_code(error::closed) : error_code{};
}

std::map<std::string, Leadership> PartitionCore::owned() const {
    std::map<std::string, Leadership> owned;
    if (!view_->is_here()) return owned;
    const std::lock_guard lock(mutex_);
    for (const auto& [item, slot] : slots_) {
        auto lease = slot.selector ? slot.selector->leadership() : nullptr;
        if (lease) owned.emplace(item, std::move(lease));
    }
    return owned;
}

bool PartitionCore::works_here() const {
    return view_->is_here() && (work_threads_->is_here() || reports_->is_here());
}

// ---- the member, on the strand

void PartitionCore::join() {
    if (state_ != State::started) return;
    session_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) { on_session_event(event); }));
    member_events_ = member_->listen([weak = weak_from_this()](const PersistentNodeEvent& event) {
        if (const auto self = weak.lock()) self->on_member_event(event);
    });
    static_cast<void>(member_->start());
}

void PartitionCore::on_session_event(const SessionEvent& event) {
    if (state_ != State::started) return;
    switch (event.state) {
    case SessionState::lost:
        ++term_;
        timer_.reset();
        perform(planner_.on_session_lost());
        break;
    case SessionState::connected:
        // Posted, so that member_ handles this event first. If the session lives although it counted as lost, the member's node
        // still exists, and no PersistentNodeEvent says so.
        view_->post(while_alive(weak_from_this(), [this] {
            if (state_ != State::started) return;
            const bool joined = !member_->node_path().empty();
            perform(joined ? planner_.on_joined(view_->now()) : planner_.on_changed(view_->now()));
        }));
        break;
    case SessionState::closed: close([] {}); break;
    default: break;
    }
}

void PartitionCore::on_member_event(const PersistentNodeEvent& event) {
    if (state_ != State::started) return;
    if (event.change == PersistentNodeChange::made) perform(planner_.on_joined(view_->now()));
    if (event.change == PersistentNodeChange::not_made) report(event.reason, "cannot join");
}

// ---- the plan

/// Does nothing after close(): the watch of a look that was under way may still report a change.
void PartitionCore::perform(const PlanActions& actions) {
    if (state_ != State::started) return;
    const auto self = shared_from_this();
    for (const auto& action : actions) {
        std::visit([this](const auto& a) { act(a); }, action);
    }
}

zk::WatchSink PartitionCore::make_watch() {
    return zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent& event) {
        if (event.type != WatchEventType::session_lost) perform(planner_.on_changed(view_->now()));
    }));
}

void PartitionCore::act(const ReadPlan&) {
    const auto last = std::exchange(timer_, nullptr); // the function of the timer may be the caller
    // The last watches stay until the next ones are set, so that no change goes unnoticed.
    const auto members_watch = make_watch();
    const auto plan_watch = make_watch();
    auto done = [self = shared_from_this(), term = term_, members_watch, plan_watch](error_code ec,
                                                                                     RequestsOperation::Replies replies) {
        if (self->term_ != term) return;
        self->members_watch_ = members_watch;
        self->plan_watch_ = plan_watch;
        const PlanSeen seen = ec ? PlanSeen{.ec = ec} : seen_in(std::move(replies[1]), std::move(replies[2]));
        self->perform(self->planner_.on_looked(seen, self->view_->now()));
    };
    std::vector<zk::Request> requests{zk::SyncRequest{path_}, zk::ChildrenRequest{members_path(path_), members_watch},
                                      zk::GetRequest{plan_path(path_), plan_watch}};
    std::make_shared<RequestsOperation>(view_, std::move(requests), std::vector<error_code>{server_error::no_node},
                                        std::move(done))
        ->begin();
}

void PartitionCore::act(const WritePlan& action) {
    write(action, [self = shared_from_this(), term = term_](error_code ec) {
        if (self->term_ == term) self->perform(self->planner_.on_written(ec, self->view_->now()));
    });
}

/// Writes once: after a lost reply, a look shows the outcome. The plan is never compressed, so that clients that compress and
/// clients that do not can share it.
void PartitionCore::write(const WritePlan& action, std::function<void(error_code)> done) {
    const std::string path = plan_path(path_);
    if (!action.version) {
        CreateOptions options{.parents = view_->config().own_parents};
        std::make_shared<CreateOperation>(view_, zk::CreateRequest{path, action.text}, std::move(options),
                                          [done = std::move(done)](error_code ec, const Created&) { done(ec); })
            ->begin();
        return;
    }
    view_->submit(zk::SetRequest{path, action.text, *action.version},
                  [done = std::move(done)](const zk::Reply& reply) { done(reply.ec); });
}

void PartitionCore::act(const WaitForPlan& action) {
    timer_ =
        view_->call_at(action.until, while_alive(weak_from_this(), [this] { perform(planner_.on_changed(view_->now())); }));
}

void PartitionCore::act(const ReportObstacle& action) {
    report(action.ec, action.text);
}

void PartitionCore::report(error_code ec, const std::string& text) {
    reports_->report(std::make_exception_ptr(Error(ec, "member " + options_.id + " of the partition " + path_ + ": " + text)));
}

// ---- the items

void PartitionCore::act(const AssignItems& action) {
    if (state_ == State::started) assignments_.tell(action.items);
    if (!make_work_) return;
    for (auto& [item, slot] : slots_) {
        const bool keeps = std::binary_search(action.items.begin(), action.items.end(), item);
        slot.wanted = keeps;
        if (!keeps && !slot.ends) end_item(item, slot);
    }
    for (const auto& item : action.items) {
        const std::unique_lock lock(mutex_);
        Slot& slot = slots_[item];
        if (!slot.selector) begin_item(item, slot);
    }
}

void PartitionCore::begin_item(const std::string& item, Slot& slot) {
    slot.selector = std::make_shared<SelectorCore>(
        view_, item_path(path_, item), SelectorOptions{.id = options_.id, .auto_requeue = true}, terms_, make_work_(item),
        [reports = reports_](std::exception_ptr failure) { reports->report(std::move(failure)); }, boot_now_);
    slot.selector->set_limits({.stop_limit = options_.stop_limit, .pauses_between = true, .work_threads = work_threads_});
    slot.ends = false;
    slot.wanted = true;
    static_cast<void>(slot.selector->start());
}

/// Asks the work to stop. The selector releases the lease when the work has ended, or after `stop_limit`.
void PartitionCore::end_item(const std::string& item, Slot& slot) {
    slot.ends = true;
    // Later, because the selector may end before its close() returns.
    view_->post([self = shared_from_this(), item, selector = slot.selector] {
        selector->close([self, item] { self->view_->post([self, item] { self->on_item_ended(item); }); });
    });
}

void PartitionCore::on_item_ended(const std::string& item) {
    std::shared_ptr<SelectorCore> last; // destroyed outside of the mutex
    {
        const std::unique_lock lock(mutex_);
        const auto slot = slots_.find(item);
        if (slot == slots_.end() || !slot->second.ends) return;
        last = std::exchange(slot->second.selector, nullptr);
        if (slot->second.wanted && state_ == State::started) begin_item(item, slot->second);
        else slots_.erase(slot);
    }
    answer_close_calls();
}

// ---- the end

void PartitionCore::close(std::function<void()> done) {
    closing_.push_back(std::move(done));
    const auto self = shared_from_this();
    if (state_.exchange(State::closed) == State::closed) return answer_close_calls();
    ++leaving_;
    const auto step_done = [self] {
        --self->leaving_;
        self->answer_close_calls();
    };
    // Write the plan first: the other members queue for the items while the work here ends. Remove the node after that: with a
    // node and no place in the plan, this member would count as new. If the plan must be read first, the node goes first.
    const bool connected = view_->session().state == SessionState::connected;
    if (connected && !options_.keep_items_on_close) {
        ++leaving_;
        leave(planner_.on_leaving(), 0, step_done);
    }
    member_->close(step_done);
    ++term_;
    timer_.reset();
    session_.reset();
    member_events_.reset();
    if (std::exchange(members_watch_, nullptr)) view_->forget_watch(members_path(path_), zk::WatchKind::children);
    if (std::exchange(plan_watch_, nullptr)) view_->forget_watch(plan_path(path_), zk::WatchKind::data);
    act(AssignItems{});
    answer_close_calls();
}

/// Writes the plan without this member. If the plan has changed, reads it and tries again: several members may leave at once.
/// Sends each request once: close() does not wait for another connection.
void PartitionCore::leave(const PlanActions& actions, int tries, const std::function<void()>& done) {
    constexpr int most_tries = 10;
    const auto self = shared_from_this();
    const auto read_again = [self, tries, done] {
        const auto members = std::make_shared<zk::Reply>();
        self->view_->submit(zk::SyncRequest{self->path_}, [](const zk::Reply&) {});
        self->view_->submit(zk::ChildrenRequest{members_path(self->path_)},
                            [members](zk::Reply reply) { *members = std::move(reply); });
        self->view_->submit(zk::GetRequest{plan_path(self->path_)}, [self, tries, done, members](zk::Reply plan) {
            if (members->ec || plan.ec) return done();
            self->leave(self->planner_.on_looked_leaving(seen_in(std::move(*members), std::move(plan))), tries + 1, done);
        });
    };
    if (actions.empty() || tries >= most_tries) return done();
    const auto* plan = std::get_if<WritePlan>(&actions.front());
    if (plan == nullptr) return read_again();
    write(*plan, [read_again, done](error_code ec) {
        if (ec == server_error::bad_version) return read_again();
        done();
    });
}

void PartitionCore::answer_close_calls() {
    if (state_ != State::closed || !slots_.empty()) return;
    if (!std::exchange(reports_end_, true)) { // not before: work that does not stop is reported
        reports_->close([self = shared_from_this()] { self->view_->post([self] { self->answer_close_calls(); }); });
    }
    if (leaving_ > 0 || !reports_->is_idle()) return;
    for (const auto& done : std::exchange(closing_, {})) done();
}

} // namespace docent::detail
