// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/process_mark.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <memory>
#include <thread>

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

} // namespace docent::detail
