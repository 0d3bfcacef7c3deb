// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/partitioner.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/events/user_listener.hpp"
#include "client/operations/request_operation.hpp"
#include "client/operations/sequence_operation.hpp"
#include "partition/escape.hpp"
#include "partition/partition_core.hpp"
#include "partition/rendezvous.hpp"
#include "posix/threads.hpp"

#include <optional>
#include <set>
#include <utility>

namespace docent {
namespace detail {

// ---- the distribution

namespace {

Distribution distribution_of(const std::optional<Plan>& plan, const std::vector<std::string>& names) {
    std::map<std::string, PartitionMember> members;
    for (const auto& name : names) {
        const auto member = parse_member(name);
        if (member) members[member->id] = {.id = member->id, .weight = member->weight, .present = true};
    }
    Distribution distribution;
    if (plan) {
        distribution.moves = plan->moves;
        for (const auto& [id, planned] : plan->members) {
            PartitionMember& member = members[id];
            member.id = id;
            member.weight = planned.weight;
            member.items = planned.items;
        }
    }
    for (auto& [id, member] : members) distribution.members.push_back(std::move(member));
    return distribution;
}

/// Reads the plan and the names of the members.
void initiate_reading(const std::shared_ptr<ClientView>& view, const std::string& path, CallOptions call,
                      Handler<Distribution> handler) {
    const auto make = [&](const std::shared_ptr<ClientView>& observed, Done<Distribution> done) {
        std::vector<zk::Request> requests{zk::GetRequest{plan_path(path)}, zk::ChildrenRequest{members_path(path)}};
        auto read = [done = std::move(done)](error_code ec, RequestsOperation::Replies replies) {
            if (ec) return done(ec, {});
            std::optional<Plan> plan;
            if (!replies[0].ec) {
                plan = parse_plan(replies[0].data);
                if (!plan) return done(error::corrupt_data, {});
            }
            done({}, distribution_of(plan, replies[1].children));
        };
        return std::make_shared<RequestsOperation>(observed, std::move(requests),
                                                   std::vector<error_code>{server_error::no_node}, std::move(read));
    };
    launch<Distribution>(view, {"distribution", path}, std::move(call), std::move(handler), make);
}

// ---- a partitioner

constexpr std::size_t longest_name = 255;
constexpr std::size_t most_bytes_of_items = 900'000; // in the plan; the rest of 1 MiB is for the members

void check(const std::vector<std::string>& items, const PartitionOptions& options, std::string_view path) {
    const auto refuse = [&](std::string_view why) { throw_if(server_error::bad_arguments, "partitioner", path, why); };
    if (items.empty()) refuse("there are no items");
    std::set<std::string_view> seen;
    std::size_t bytes = 0;
    for (const auto& item : items) {
        bytes += escaped(item).size() + 1;
        if (item.empty() || item.size() > longest_name) refuse("an item must have 1 to 255 bytes");
        if (!seen.insert(item).second) refuse("an item is given twice");
    }
    if (bytes > most_bytes_of_items) refuse("all items together must have at most 900000 bytes");
    if (options.id.size() > longest_name) refuse("the id must have at most 255 bytes");
    if (options.weight == 0 || options.weight > max_weight) refuse("the weight must be 1 to 1000000");
    for (const auto time : {options.join_delay, options.leave_grace, options.stop_limit}) {
        if (time < time.zero()) refuse("join_delay, leave_grace and stop_limit must not be negative");
    }
}

/// The work on one item: calls the user's function with the item.
LeaderSelector::Work on_item(const Partitioner::Work& work, const std::string& item) {
    return [work, item](const Lease& lease) { work(item, lease); };
}
LeaderSelector::CoroutineWork on_item(const Partitioner::CoroutineWork& work, const std::string& item) {
    return [work, item](Leadership lease) { return work(item, std::move(lease)); }; // lives as long as the coroutine
}

/// Runs the function on a detached thread. The strand must not wait for the thread: work that uses the client needs the strand.
void on_new_thread(std::function<void()> function) {
    posix::start_quiet_thread(std::move(function)).detach();
}

PartitionCore::MakeWork make_work(const std::shared_ptr<ClientView>& view, Partitioner::Work work, SelectorOptions options) {
    return [view, work = std::move(work), options = std::move(options)](const std::string& item) {
        return selector_work(*view, on_item(work, item), options, on_new_thread);
    };
}
PartitionCore::MakeWork make_work(const std::shared_ptr<ClientView>& view, Partitioner::CoroutineWork work,
                                  SelectorOptions options) {
    return [view, work = std::move(work), options = std::move(options)](const std::string& item) {
        return selector_work(*view, on_item(work, item), options);
    };
}

/// For an assignment, there is no work.
PartitionCore::MakeWork make_work(const std::shared_ptr<ClientView>&, const Partitioner::Assignment&, const SelectorOptions&) {
    return nullptr;
}

template <typename Work>
std::shared_ptr<PartitionCore> make_partition(const Client& client, std::string_view path, std::vector<std::string> items,
                                              Work work, PartitionOptions options) {
    require_path("partitioner", path);
    check(items, options, path);
    const auto& view = Access::open_view(client, "partitioner");
    if (options.id.empty()) options.id = view->new_guid();
    const SelectorOptions of_work{.executor = options.executor, .on_failure = options.on_failure};
    auto reports = std::make_shared<FailureReports>(executor_for(*view, of_work), options.on_failure);
    auto make = make_work(view, std::move(work), of_work);
    return std::make_shared<PartitionCore>(view, std::string(path), std::move(items), std::move(options), std::move(make),
                                           std::move(reports));
}

std::shared_ptr<void> close_at_end(const std::shared_ptr<PartitionCore>& core) {
    return post_at_end(core->view(), [core] { core->close([] {}); });
}

} // namespace

asio::any_io_executor executor_of(const PartitionCore& core) {
    return core.view()->executor();
}

void initiate_partition_close(const std::shared_ptr<PartitionCore>& core, CallOptions call, Handler<> handler) {
    auto work = [core](ClientView&, std::function<void()> then) { core->close(std::move(then)); };
    launch_made<GiveUpOperation>(core->view(), {"partition_close", core->path()}, std::move(call), std::move(handler),
                                 std::move(work), true);
}

void initiate_distribution(const std::shared_ptr<PartitionCore>& core, CallOptions call, Handler<Distribution> handler) {
    initiate_reading(core->view(), core->path(), std::move(call), std::move(handler));
}

} // namespace detail

std::vector<std::string> numbered_items(std::size_t count) {
    std::vector<std::string> items;
    items.reserve(count);
    for (std::size_t item = 0; item < count; ++item) items.push_back(std::to_string(item));
    return items;
}

Partitioner::Partitioner(Client& client, std::string_view path, std::vector<std::string> items, Work work,
                         PartitionOptions options) {
    core_ = detail::make_partition(client, path, std::move(items), std::move(work), std::move(options));
    membership_ = detail::close_at_end(core_);
}

Partitioner::Partitioner(Client& client, std::string_view path, std::vector<std::string> items, CoroutineWork work,
                         PartitionOptions options) {
    core_ = detail::make_partition(client, path, std::move(items), std::move(work), std::move(options));
    membership_ = detail::close_at_end(core_);
}

Partitioner::Partitioner(Client& client, std::string_view path, std::vector<std::string> items, Assignment on_items,
                         PartitionOptions options) {
    using Items = std::vector<std::string>;
    const auto executor = options.executor;
    core_ = detail::make_partition(client, path, std::move(items), on_items, std::move(options));
    membership_ = detail::close_at_end(core_);
    assignment_ = detail::listen_for_user<Items>(
        core_->view(), [core = core_](auto each) { return core->listen(std::move(each)); },
        [core = core_, on_items = std::move(on_items)](const Items& assigned) { core->call([&] { on_items(assigned); }); },
        executor);
}

const std::string& Partitioner::path() const noexcept {
    return core_->path();
}

const std::string& Partitioner::id() const noexcept {
    return core_->id();
}

void Partitioner::start(error_code& ec) {
    ec = core_->start();
}

void Partitioner::start() {
    detail::throw_if(core_->start(), "start the partitioner", path());
}

std::map<std::string, Leadership> Partitioner::owned() const {
    return core_->owned();
}

void Partitioner::close(error_code& ec, CallOptions call) {
    if (core_->works_here()) { // the work itself closes: to wait for its end would be a deadlock
        ec = {};
        return core_->view()->post([core = core_] { core->close([] {}); });
    }
    detail::block_also_before_start<>(*core_->view(), std::move(call), ec, detail::initiate_partition_close, core_);
}

void Partitioner::close(CallOptions call) {
    detail::throwing("close the partitioner", path(), [&](error_code& ec) { close(ec, std::move(call)); });
}

Distribution Partitioner::distribution(error_code& ec, CallOptions call) const {
    return detail::block<Distribution>(*core_->view(), std::move(call), ec, detail::initiate_distribution, core_);
}

Distribution Partitioner::distribution(CallOptions call) const {
    return detail::throwing("read the distribution at", path(),
                            [&](error_code& ec) { return distribution(ec, std::move(call)); });
}

std::string partition_item_path(std::string_view path, std::string_view item) {
    return detail::item_path(path, item);
}

Distribution read_distribution(Client& client, std::string_view path, error_code& ec, CallOptions call) {
    return detail::block<Distribution>(detail::view_of(client), std::move(call), ec, detail::initiate_reading,
                                       detail::view_of(client), std::string(path));
}

Distribution read_distribution(Client& client, std::string_view path, CallOptions call) {
    return detail::throwing_at("read the distribution at", path,
                               [&](error_code& ec) { return read_distribution(client, path, ec, std::move(call)); });
}

} // namespace docent
