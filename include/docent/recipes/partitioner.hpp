// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/recipes/leader/leader_selector.hpp>
#include <docent/recipes/lease.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent {

class Client;

/// The options of a Partitioner.
///
/// ```cpp
/// docent::PartitionOptions options{.id = "worker-3", .weight = 2, .stop_limit = 10s};
/// ```
/// @ingroup elections
struct PartitionOptions {
    /// The name of this member. No other member may have the same name. Empty: a random name.
    ///
    /// A member that rejoins with the same name within leave_grace keeps its items. At most
    /// 255 bytes.
    std::string id = {};
    /// The share of this member in proportion to the weights of the others: 1 to 1 000 000.
    std::uint32_t weight = 1;
    /// How long a new member must be there before it gets items. A member that comes and goes
    /// again in this time moves nothing.
    ///
    /// The member that writes the plan waits for its own join_delay and leave_grace. So give all
    /// members the same values.
    std::chrono::milliseconds join_delay{2000};
    /// How long the items of a member that has gone wait for it. A member that comes back in this
    /// time moves nothing.
    ///
    /// The time begins when the servers have ended its session, or at close().
    std::chrono::milliseconds leave_grace{2000};
    /// How long the work of an item may go on after it was asked to stop. Then the item is given
    /// up, also if the work goes on; `on_failure` gets `server_error::operation_timeout`.
    std::chrono::milliseconds stop_limit{30'000};
    /// Whether close() leaves the items to this member for leave_grace, for a restart. Otherwise
    /// the others get them at once.
    bool keep_items_on_close = false;
    /// The name of the partition in traces and metrics, see LockOptions::label.
    std::string label = {};
    /// The executor of the work; it must outlive the work.
    ///
    /// The work of several items runs at the same time. Without an executor, each function runs on a
    /// separate thread. A coroutine runs on the client's executor.
    asio::any_io_executor executor = {};
    /// Called with each exception of the work, where the work ran: on several threads at the same
    /// time if several items fail.
    ///
    /// It is also called with an Error if the member cannot join or gets no items, on `executor` or
    /// the client's executor. The member tries again. Without this function, an exception of the
    /// work leaves through `run()` of the executor; on a separate thread it ends the program.
    std::function<void(std::exception_ptr)> on_failure = {};
};

/// A member of a partition.
/// @ingroup elections
struct PartitionMember {
    /// Its name.
    std::string id;
    /// PartitionOptions::weight.
    std::uint32_t weight = 1;
    /// Whether its node exists: its process runs, or its session has not ended yet.
    bool present = false;
    /// The items that the plan assigns to it, sorted as texts.
    std::vector<std::string> items = {};
    /// Whether all fields are equal.
    friend bool operator==(const PartitionMember&, const PartitionMember&) = default;
};

/// The share of each member.
/// @ingroup elections
struct Distribution {
    /// The members by id: those that count in the plan, and those that are present and do not count
    /// yet.
    std::vector<PartitionMember> members = {};
    /// How many times an item was given to another member, since the partition exists.
    std::uint64_t moves = 0;
    /// Whether all fields are equal.
    friend bool operator==(const Distribution&, const Distribution&) = default;
};

/// Returns the items "0" to "`count` - 1".
/// @ingroup elections
DOCENT_EXPORT std::vector<std::string> numbered_items(std::size_t count);

namespace detail {
class PartitionCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const PartitionCore& core);
DOCENT_EXPORT void initiate_partition_close(const std::shared_ptr<PartitionCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_distribution(const std::shared_ptr<PartitionCore>&, CallOptions, Handler<Distribution>);

/// A coroutine that takes the lease by reference. As a function, it would return before it has begun.
template <typename Work>
concept ItemCoroutineThatTakesAReference = std::invocable<Work&, const std::string&, const Lease&> &&
    is_awaitable<std::invoke_result_t<Work&, const std::string&, const Lease&>>;

/// The asynchronous operations of Partitioner.
///
/// Lifetime: the partitioner may be destroyed before an operation completes.
/// @ingroup elections
template <typename Base, typename Default> class AsyncPartitioner : public AsyncOf<Base> {
public:
    using AsyncOf<Base>::AsyncOf;

    /// Leaves the partition, as Partitioner::close() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: `terminal` and `partial`. A
    /// cancelled call completes at once; the partitioner is closed nevertheless.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_close(Token&& token = Token{}) {
        return async_close(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_close(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_partition_close, token, this->core_, std::move(call));
    }

    /// Reads the share of each member, as Partitioner::distribution() does.
    ///
    /// Completion signature: `void(error_code, Distribution)`. Cancellation: `terminal`, `partial`
    /// and `total`.
    template <asio::completion_token_for<void(error_code, Distribution)> Token = Default>
    auto async_distribution(Token&& token = Token{}) const {
        return async_distribution(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, Distribution)> Token = Default>
    auto async_distribution(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<Distribution>(&detail::initiate_distribution, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// Divides items, such as shards, among the members of a group of processes. Each item has at most
/// one worker, and as few items as possible move when the members change.
///
/// ```cpp
/// docent::Partitioner member{client, "/partitions/orders", docent::numbered_items(64),
///     [](const std::string& item, const docent::Lease& lease) {
///         while (!lease.stop_token().stop_requested()) { /* one step of the work on this item */ }
///     }, {.id = "worker-3"}};
/// member.start();
/// ```
///
/// Each member gets its fair share of the items by weight, rounded down or up. It holds each item with a
/// separate lease, with a fencing token, a stop token and a guard for transactions, as of an
/// InterProcessMutex. So two members never own one item, whatever they believe about the others.
/// The work of each item begins when the member owns it. It begins again after 1 s if it returns
/// although the item stays with the member.
///
/// **Moves.** When the plan assigns an item to another member, that member enters the queue of the
/// item, and the work here is asked to stop. When the work has returned, the item is handed over in one
/// round trip.
///
/// **Stop.** The stop token of the lease fires when the plan assigns the item to another member,
/// when the lease is lost, and when the partitioner is closed or destroyed. The item stays here
/// until the work has ended, for at most `stop_limit`. The token also cancels a coroutine
/// (`terminal`). Work that then throws `operation_aborted` has not failed.
///
/// A member whose work on an item goes on after a loss acquires the item again only when that work
/// has returned. If it never returns, nobody works on the item while the plan assigns it to this
/// member.
///
/// **The plan** is the data of one node, and assigns the items to the members. Any member can write
/// the next plan. Members with other items than those of the present members get nothing, and
/// `on_failure` is called with `server_error::bad_arguments`. A member that cannot read the plan
/// counts nevertheless, and the items assigned to it wait for it: close such a member.
///
/// **Cost.** A member watches the list of the members, the plan, and the nodes of its items. Each
/// change of the members is one write and, in each member, three requests in one round trip after the
/// change and again after the write. An item that moves costs as much as the hand-off of a mutex. A
/// client has room for the watches of some 10 000 items.
///
/// Lifetime: the destructor closes the partitioner and does not wait, not even for the work. Call
/// close() before you destroy objects that the work or `on_failure` uses. Once the client is
/// closed, operations that need a server fail with `error::closed`. Thread safety: all members may
/// be called from any thread.
/// @ingroup elections
class DOCENT_EXPORT Partitioner : public detail::BaseOf<Partitioner, detail::PartitionCore, detail::AsyncPartitioner> {
public:
    /// The work on an item as a function. The partitioner releases the lease.
    using Work = std::function<void(const std::string& item, const Lease& lease)>;
    /// The work on an item as a coroutine. `item` lives as long as the coroutine.
    using CoroutineWork = std::function<asio::awaitable<void>(const std::string& item, Leadership lease)>;
    /// The items that the plan gives to this member, all of them at each change, sorted as texts.
    using Assignment = std::function<void(std::vector<std::string> items)>;

    /// Makes a member for work that is a function. Sends nothing; parents are made when first
    /// needed, as `ClientConfig::own_parents` says.
    ///
    /// All members at `path` must have the same items, in any order. An item has 1 to 255 bytes.
    /// The plan is the data of one node, and servers refuse more than 1 MiB. So all names of items
    /// together may have 900 000 bytes. Each name counts one byte more. A byte that is no visible
    /// ASCII character, `%` and `/` count three times, and so do the bytes of a name of dots only.
    ///
    /// Errors: throws `error::invalid_path`, `error::corrupt_data` (the id cannot be compressed),
    /// and `server_error::bad_arguments` (an item is empty, too long or given twice, there is no
    /// item, there are too many, or an option is invalid).
    Partitioner(Client& client, std::string_view path, std::vector<std::string> items, Work work,
                PartitionOptions options = {});
    /// As above, for work that is a coroutine.
    Partitioner(Client& client, std::string_view path, std::vector<std::string> items, CoroutineWork work,
                PartitionOptions options = {});
    /// As above, for a program that acquires the items itself, for example in a process for each item.
    ///
    /// This object takes no leases, and owned() is empty. Two members can have one item in their
    /// assignments for a while. So work on an item only while you hold the InterProcessMutex at
    /// partition_item_path(). The calls are in order, one at a time, on `executor` or the client's executor.
    /// When the session is lost, `on_items` gets an empty list. No call begins after close() or the
    /// destructor.
    Partitioner(Client& client, std::string_view path, std::vector<std::string> items, Assignment on_items,
                PartitionOptions options = {});
    /// Deleted: a coroutine takes its Leadership by value, which keeps it alive.
    template <detail::ItemCoroutineThatTakesAReference Coroutine>
    Partitioner(Client& client, std::string_view path, std::vector<std::string> items,
                Coroutine work, // a coroutine must take docent::Leadership by value
                PartitionOptions options = {}) = delete;
    /// Closes the partitioner, and does not wait for the work.
    ~Partitioner() = default;
    Partitioner(const Partitioner&) = delete;            ///< Not copyable.
    Partitioner& operator=(const Partitioner&) = delete; ///< Not copyable.

    /// The path of the partition.
    const std::string& path() const noexcept;
    /// The name of this member.
    const std::string& id() const noexcept;

    /// Joins, without waiting. A second call does nothing.
    ///
    /// Errors: `error::closed` after close().
    void start();
    /// As above, but sets `ec` instead of throwing.
    void start(error_code& ec);

    /// The items that this member certainly owns at this moment, with their leases. No network.
    std::map<std::string, Leadership> owned() const;

    /// Leaves the partition for ever: gives the items to the other members, asks the work to stop,
    /// and waits until all work has ended, no call of `on_failure` or of an Assignment is under way, and
    /// the server has confirmed the releases.
    ///
    /// Inside the work, `on_failure` and an Assignment, the call does not wait.
    void close(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void close(error_code& ec, CallOptions call = {});

    /// Reads the share of each member from the servers. One round trip.
    ///
    /// Without a plan, the members that are present, with no items. Errors: `error::corrupt_data` (the plan is no plan of
    /// docent), and as Client::get() and Client::children().
    Distribution distribution(CallOptions call = {}) const;
    /// As above, but sets `ec` instead of throwing.
    Distribution distribution(error_code& ec, CallOptions call = {}) const;

protected:
    /// For `as_default_on()`: another object for the same state.
    Partitioner(detail::SameObject same, const Partitioner& other)
        : AsyncPartitioner(same, other), membership_(other.membership_), assignment_(other.assignment_) {}

private:
    friend struct detail::Access;
    detail::ProcessOwned<void> membership_; // closes the partitioner with its last object
    detail::ProcessOwned<void> assignment_; // calls the function that takes the items
};

/// The path of the lock of an item: an InterProcessMutex. Its holder owns the item.
/// @ingroup elections
DOCENT_EXPORT std::string partition_item_path(std::string_view path, std::string_view item);

/// Reads the share of each member of the partition at `path`, without taking part. As
/// Partitioner::distribution().
/// @ingroup elections
DOCENT_EXPORT Distribution read_distribution(Client& client, std::string_view path, CallOptions call = {});
/// As above, but sets `ec` instead of throwing.
/// @ingroup elections
DOCENT_EXPORT Distribution read_distribution(Client& client, std::string_view path, error_code& ec, CallOptions call = {});

} // namespace docent
