// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"
#include "lease/lease_core.hpp"
#include "local/local_queue.hpp"
#include "posix/process_mark.hpp"
#include "queue/acquire_driver.hpp"
#include "revocation/request.hpp"

#include <docent/recipes/inter_process_mutex.hpp>

#include <boost/thread/mutex.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace docent::detail {

/// The holds of one lock that threads have by lock(), with a count for each thread.
///
/// A thread asks only for itself, so the holds can be divided among parts. In a child of the process that made this object, a
/// thread holds nothing, and leave() does nothing.
class ThreadHolds {
public:
    enum class Threads { few, many };
    explicit ThreadHolds(Threads threads = Threads::few)
        : count_(threads == Threads::few ? 1 : kinds_of_threads), parts_(new Part[count_]) {}

    /// Whether the calling thread holds the lock.
    enum class Ownership { nothing, surely, lost };
    Ownership held() const;

    /// Adds a level for a thread that holds the lock.
    void enter_again();
    void enter(Lease lease);
    /// Removes a level. The last one releases the lease. Returns false if the calling thread holds nothing.
    bool leave();

    /// The lease of the calling thread; null without a hold.
    std::shared_ptr<LeaseCore> lease() const;

private:
    struct ThreadHold {
        Lease lease;
        int count = 1;
    };
    struct alignas(apart) Part {
        boost::mutex mutex;
        std::unordered_map<ThreadKey, ThreadHold> holds;
        std::atomic<std::size_t> size{0}; // of `holds`
    };
    Part& part() const { return parts_[kind_of_this_thread() % count_]; }
    template <typename Function> auto with_own(Function function) const;

    const posix::ProcessMark process_;
    const std::size_t count_;
    const std::unique_ptr<Part[]> parts_;
};

/// How a hold of the other side of a read/write lock, by the calling thread, affects its lock() of this side.
struct Sibling {
    enum class Kind {
        none,
        lets_in,    // the thread gets this side at once, by `enter`
        in_the_way, // the thread would wait for itself
        lost,       // the other side was lost and must be unlocked first
    } kind = Kind::none;
    std::function<void(CallOptions, Handler<Lease>)> enter = nullptr;
};

/// The state of an InterProcessMutex, or of one side of a read/write lock.
class MutexCore : public LockSource, public std::enable_shared_from_this<MutexCore> {
public:
    /// Nodes are `<path>/_c_<uuid>-lock-<ten digits>`. `others`: names of other libraries in the queue.
    MutexCore(std::shared_ptr<ClientView> view, std::string path, BootNow boot_now = &session::BootClock::now,
              LeaseTerms terms = {}, OtherNamesPtr others = nullptr);
    MutexCore(const MutexCore&) = delete;
    MutexCore& operator=(const MutexCore&) = delete;

    // LockSource
    const std::shared_ptr<ClientView>& view() const noexcept override { return view_; }
    const std::string& path() const noexcept override { return place_->path; }
    bool held_by_this_thread() const override;
    std::shared_ptr<Operation> attempt(std::shared_ptr<ClientView> view, AcquireWait wait, Done<Lease> done) const override;

    const SharedPlace& place() const noexcept { return place_; }
    /// The queue of holds that share a node; null if each hold has its own node.
    const std::shared_ptr<LocalQueue>& local() const noexcept { return locals_.here_or(local_); }
    ThreadHolds& holds() noexcept { return holds_; }

    virtual Sibling sibling() const { return {}; }

    // From any thread.
    /// Sets the handler of leases that are granted from now on; an empty function removes it. The handler is called for one
    /// lease at a time.
    void set_revocation_handler(std::function<void(const std::string& node_path)> handler, asio::any_io_executor executor);
    /// A hold in a node that this process has, without a request; an empty lease if that is impossible.
    Lease acquire_at_once(const CallOptions& call) const;
    /// Whether a blocking call can wait by wait_for_turn(), without an operation on the strand.
    bool waits_locally(const AcquireWait& wait, const CallOptions& call) const;
    /// Called when a lease of this lock is granted.
    void on_granted(const Lease& lease) const;

protected:
    MutexCore(std::shared_ptr<ClientView> view, QueuePlace place, BootNow boot_now);

private:
    const std::shared_ptr<ClientView> view_;
    const SharedPlace place_;
    const BootNow boot_now_;
    const std::shared_ptr<LocalQueue> local_;
    const SharedByThreads<LocalQueue> locals_; // the same with separate reference counts, for readers of a kept lock
    ThreadHolds holds_;
    // This object may outlive the context of the user's executor, and a strand must not. So leases own the listener, which
    // has a strand, and this object has the executor only.
    struct RevocationHandler {
        std::function<void(const std::string& node_path)> function;
        asio::any_io_executor executor;
    };
    mutable std::mutex handler_mutex_;
    std::shared_ptr<const RevocationHandler> handler_;
    mutable std::weak_ptr<const RevocationListener> listener_; // calls the handler
    std::atomic<bool> has_handler_{false};
};

} // namespace docent::detail
