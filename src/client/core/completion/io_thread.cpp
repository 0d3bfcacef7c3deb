// SPDX-License-Identifier: Apache-2.0

#include "client/core/completion/io_thread.hpp"
#include "posix/process_mark.hpp"
#include "posix/threads.hpp"

#include <boost/asio/system_executor.hpp>

#include <memory>

namespace docent::detail {

IoThread::IoThread()
    : context_(std::make_shared<asio::io_context>(1)), work_(std::in_place, context_->get_executor()),
      thread_(std::in_place, posix::start_quiet_thread([context = context_] { context->run(); })) {}

IoThread::~IoThread() {
    if (!thread_.is_here()) {
        posix::keep_for_ever(std::move(context_));
        return;
    }
    work_->reset();
    if (runs_in_this_thread()) thread_->detach();
    else thread_->join();
}

namespace {

const posix::ProcessMark loaded_by;

} // namespace

asio::any_io_executor spare_executor() {
    if (loaded_by.is_here()) return asio::system_executor();
    return posix::of_this_process<IoThread>().executor();
}

} // namespace docent::detail
