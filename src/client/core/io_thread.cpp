// SPDX-License-Identifier: Apache-2.0
#include "client/core/io_thread.hpp"

#include <pthread.h>
#include <signal.h>

namespace docent::detail {
namespace {

/// Starts a thread that takes no signals: they belong to the threads of the program.
template <typename Function> std::thread start_without_signals(Function function) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread(std::move(function));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

} // namespace

IoThread::IoThread()
    : context_(std::make_shared<asio::io_context>(1)), work_(context_->get_executor()),
      thread_(start_without_signals([context = context_] { context->run(); })) {}

IoThread::~IoThread() {
    work_.reset();
    if (thread_.get_id() == std::this_thread::get_id()) thread_.detach();
    else thread_.join();
}

} // namespace docent::detail
