// SPDX-License-Identifier: Apache-2.0
#pragma once

// Threads for the work of items. The number of items that a member has changes, so there are as many threads as there is work.
// Nothing ever waits for a thread: the work of an item may use the client, and then needs the client's strand.

#include "posix/process_mark.hpp"
#include "posix/threads.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace docent::detail {

class ItemThreads {
public:
    /// An idle thread ends after this time.
    explicit ItemThreads(std::chrono::milliseconds idle_for = std::chrono::seconds{5})
        : shared_(std::make_shared<Shared>(idle_for)) {}
    /// Lets the threads end. Does not wait for them; each ends with the work that it does.
    ~ItemThreads() {
        if (!mark_.is_here()) return; // the parent's threads may hold the mutex
        const std::lock_guard lock(shared_->mutex);
        shared_->closed = true;
        shared_->wake.notify_all();
    }
    ItemThreads(const ItemThreads&) = delete;
    ItemThreads& operator=(const ItemThreads&) = delete;

    /// Runs `work` soon on a thread that does nothing else. From any thread. Throws std::system_error if no thread can be
    /// started.
    void run(std::function<void()> work) {
        std::unique_lock lock(shared_->mutex);
        if (shared_->idle <= shared_->waiting.size()) {
            lock.unlock();
            posix::start_quiet_thread([shared = shared_, work = std::move(work)]() mutable {
                do_work(work);
                serve(*shared);
            }).detach();
            return;
        }
        shared_->waiting.push_back(std::move(work));
        shared_->wake.notify_one();
    }

private:
    struct Shared {
        explicit Shared(std::chrono::milliseconds how_long) : idle_for(how_long) {}
        const std::chrono::milliseconds idle_for;
        std::mutex mutex;
        std::condition_variable wake;
        std::deque<std::function<void()>> waiting; // guarded, as are the others
        std::size_t idle = 0;
        bool closed = false;
    };

    /// Destroys the work, too, before the thread is idle.
    static void do_work(std::function<void()>& work) { std::exchange(work, nullptr)(); }

    static void serve(Shared& shared) {
        std::unique_lock lock(shared.mutex);
        for (;;) {
            ++shared.idle;
            const bool woken =
                shared.wake.wait_for(lock, shared.idle_for, [&] { return shared.closed || !shared.waiting.empty(); });
            --shared.idle;
            if (!woken || shared.waiting.empty()) return;
            auto work = std::move(shared.waiting.front());
            shared.waiting.pop_front();
            lock.unlock();
            do_work(work);
            lock.lock();
        }
    }

    const posix::ProcessMark mark_;
    const std::shared_ptr<Shared> shared_;
};

} // namespace docent::detail
