// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/process_mark.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

namespace docent::detail {

namespace asio = boost::asio;

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
    posix::ProcessBound<Work> work_;
    posix::ProcessBound<std::thread> thread_;
};

namespace asio = boost::asio;

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

} // namespace docent::detail
