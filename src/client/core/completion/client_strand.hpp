// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"
#include "posix/process_mark.hpp"

#include <docent/detail/process_owned.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace docent::detail {

/// The thread of a client without a given executor. It lives as long as functions may be posted to it.
class IoThread {
public:
    IoThread();
    /// Ends the thread and waits for it, unless it is the calling thread. In a child of this process, which does not have the
    /// thread, it does nothing.
    ~IoThread();
    IoThread(const IoThread&) = delete;
    IoThread& operator=(const IoThread&) = delete;

    asio::io_context::executor_type executor() const { return context_->get_executor(); }
    bool runs_in_this_thread() const { return thread_->get_id() == std::this_thread::get_id(); }

private:
    std::shared_ptr<asio::io_context> context_; // shared with the thread, which may outlive this object
    using Work = asio::executor_work_guard<asio::io_context::executor_type>;
    ProcessOwned<Work> work_;
    ProcessOwned<std::thread> thread_;
};

/// The threads of a client without a given executor. A copy of them waits for their end in its destructor if nothing else owns
/// them by then.
struct IoThreads {
    std::shared_ptr<IoThread> user; // for users' functions; ends after the protocol thread, which posts to it
    std::shared_ptr<IoThread> protocol;

    /// Waits until all functions that were posted before have run and are destroyed. On the user thread, waits for the protocol
    /// thread only. On the protocol thread, does not wait.
    void await_functions() const noexcept;
};

/// The executor for handlers of calls without a usable client: Asio's system executor. In a child of the process that loaded
/// this library, the system executor's threads may be missing; there it is a thread that begins with the first call of this
/// function and never ends. Throws std::system_error if that thread cannot be started.
asio::any_io_executor spare_executor();

/// An executor that runs nothing in a child of the process that made it: it drops functions of the child, and the child's
/// copies of the parent's functions. Without this, the child's context would run the parent's functions after
/// `io_context::notify_fork()`. It has the properties of the inner executor.
template <typename Inner> class ProcessExecutor {
public:
    explicit ProcessExecutor(Inner inner, posix::ProcessMark process = {}) noexcept
        : inner_(std::move(inner)), process_(process) {}

    const Inner& inner() const noexcept { return inner_; }

    template <typename Property>
    decltype(auto) query(const Property& property) const requires(asio::can_query_v<const Inner&, Property>) {
        return asio::query(inner_, property);
    }
    template <typename Property>
    auto require(const Property& property) const requires(asio::can_require_v<const Inner&, Property>) {
        return around(asio::require(inner_, property));
    }
    template <typename Property>
    auto prefer(const Property& property) const requires(asio::can_prefer_v<const Inner&, Property>) {
        return around(asio::prefer(inner_, property));
    }

    template <typename Function> void execute(Function&& function) const {
        if (!process_.is_here()) return;
        inner_.execute([process = process_, function = std::forward<Function>(function)]() mutable {
            if (process.is_here()) function();
        });
    }

    friend bool operator==(const ProcessExecutor& a, const ProcessExecutor& b) noexcept { return a.inner_ == b.inner_; }
    friend bool operator!=(const ProcessExecutor& a, const ProcessExecutor& b) noexcept { return !(a == b); }

private:
    template <typename Other> auto around(Other inner) const { return ProcessExecutor<Other>(std::move(inner), process_); }

    Inner inner_;
    posix::ProcessMark process_;
};

/// The part of a client that runs functions: its strand, and the executor of users' functions. Without an executor of the user,
/// the client has its own threads.
///
/// In a child of the process that made it, nothing is posted, and no posted function runs.
class ClientStrand : public ClientView, public std::enable_shared_from_this<ClientStrand> {
public:
    // ClientView. All from any thread.
    bool is_here() const noexcept override { return process_.is_here(); }
    bool has_context() const noexcept override { return context_ == Context::runs; }
    asio::any_io_executor executor() const override;
    asio::any_io_executor strand() const override { return strand_; }
    bool shares_executor() const override { return !owns_thread(); }
    bool running_in_this_thread() const override;
    void post(std::function<void()> function) override;
    void call_user(std::function<void()> function) noexcept override;

    bool owns_thread() const { return threads_.protocol != nullptr; }
    /// Both null if the user gave an executor.
    IoThreads threads() const;
    /// Calls on_context_end() when the context of the user's executor is destroyed. Otherwise the client's operations would
    /// never end, and would leak. An `io_context` may be destroyed while its clients have operations under way, as with Asio's
    /// own objects.
    void attend_context();
    /// The context is being destroyed, so no other thread runs the strand.
    virtual void on_context_end() noexcept = 0;
    /// Waits until the tracer has got all events so far, unless the tracer calls this.
    void await_tracer();

protected:
    /// `executor`: of the user, if the client has no threads of its own. `has_tracer`: call_user() will be used.
    ClientStrand(const std::optional<asio::any_io_executor>& executor, bool has_tracer);

    // For on_context_end(): between these two calls, only run_posted() runs functions. After them, none is posted any more.
    void begin_context_end() { context_ = Context::ends; }
    void finish_context_end();
    /// Runs the functions that were posted and not begun, and further functions that they post.
    void run_posted();

private:
    bool run_first_posted();

    const posix::ProcessMark process_;
    const asio::any_io_executor outer_executor_; // given by the user; empty if the client has its own threads
    mutable std::once_flag user_thread_begun_;
    mutable std::atomic<bool> has_user_thread_{false};
    mutable IoThreads threads_;
    enum class Context { runs, ends, has_ended };
    std::atomic<Context> context_{Context::runs}; // the state of outer_executor_'s context
    std::mutex posted_mutex_;
    std::deque<std::function<void()>> posted_; // posted to outer_executor_, and not begun; guarded by posted_mutex_
    asio::any_io_executor strand_;
    asio::any_io_executor posting_; // the strand with `blocking.never`, which asio::post() would make each time
    asio::any_io_executor tracing_; // a strand for the tracer, if there is one
};

} // namespace docent::detail
