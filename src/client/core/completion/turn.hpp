// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace docent::detail {

namespace asio = boost::asio;

/// Who is on the strand of a client that has a thread of its own: that thread, or one that has made a blocking call and takes
/// the first step of it itself, instead of waking the other one for it before it sleeps. One at a time.
class Turn : public std::enable_shared_from_this<Turn> {
public:
    explicit Turn(asio::io_context::executor_type thread) : thread_(std::move(thread)) {}

    /// Has `function` run by `executor`, one of the client's thread, when that has its turn.
    template <typename Executor, typename Function> void execute(const Executor& executor, Function function);

    /// On any thread: whether it has run `function`, which is gone then, and what that has posted. Only if nobody is on the
    /// strand and nothing that was posted is still to come: else that would be overtaken. Like what is posted, it must not
    /// throw.
    bool try_run(std::function<void()>& function) noexcept;

    /// Whether it is the turn of the calling thread.
    bool is_ours() const { return holder_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }
    /// Whether that is not the client's own, which has a queue for what it posts to itself.
    bool is_lent() const { return is_ours() && is_lent_; }
    /// Whether this thread has such a turn, of any client.
    static bool is_lent_here() { return lent_here > 0; }
    /// For the end of such a turn.
    template <typename Function> void keep(Function function) {
        kept_.push_back(std::make_unique<TaskOf<Function>>(std::move(function)));
    }

private:
    struct Task {
        virtual ~Task() = default;
        virtual void run() = 0;
    };
    template <typename Function> struct TaskOf final : Task {
        explicit TaskOf(Function f) : function(std::move(f)) {}
        void run() override { function(); }
        Function function;
    };
    class Held; // while it lasts, it is the turn of this thread

    template <typename Function> void run(Function& function);
    void run_kept();

    static thread_local int lent_here;

    asio::io_context::executor_type thread_;
    std::mutex mutex_;
    std::atomic<std::thread::id> holder_{};
    std::atomic<std::size_t> posted_{0}; // and not begun
    // Of whose turn it is:
    bool is_lent_ = false;
    std::deque<std::unique_ptr<Task>> kept_;
};

class Turn::Held {
public:
    explicit Held(Turn& turn) : turn_(turn) { turn_.holder_.store(std::this_thread::get_id(), std::memory_order_relaxed); }
    ~Held() { turn_.holder_.store({}, std::memory_order_relaxed); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

private:
    Turn& turn_;
};

template <typename Executor, typename Function> void Turn::execute(const Executor& executor, Function function) {
    ++posted_;
    executor.execute([self = shared_from_this(), function = std::move(function)]() mutable { self->run(function); });
}

/// What `function` holds is dropped on the strand, too.
template <typename Function> void Turn::run(Function& function) {
    if (is_ours()) { // by the client's thread, within what it runs
        --posted_;
        return function();
    }
    const std::lock_guard lock(mutex_);
    --posted_; // not before: who looks now would be in front of it
    const Held held(*this);
    Function ours(std::move(function));
    ours();
}

} // namespace docent::detail
