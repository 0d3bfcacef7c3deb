// SPDX-License-Identifier: Apache-2.0
#include "client/core/completion/client_strand.hpp"

#include "base/listeners.hpp"
#include "base/while_alive.hpp"
#include "client/core/completion/completion.hpp"
#include "posix/threads.hpp"

#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_executor.hpp>

#include <future>
#include <utility>

namespace docent::detail {

IoThread::IoThread()
    : context_(std::make_shared<asio::io_context>(1)), work_(std::make_shared<Work>(context_->get_executor())),
      thread_(std::make_shared<std::thread>(posix::start_quiet_thread([context = context_] { context->run(); }))) {}

IoThread::~IoThread() {
    if (thread_.is_foreign()) {
        posix::keep_for_ever(std::move(context_));
        return;
    }
    work_->reset();
    if (runs_in_this_thread()) thread_->detach();
    else thread_->join();
}

void IoThreads::await_functions() const noexcept {
    if (protocol && protocol->runs_in_this_thread()) return; // a user's function may wait for this thread
    for (const auto& thread : {protocol, user}) {
        if (!thread || thread->runs_in_this_thread()) continue;
        try {
            const auto called = std::make_shared<std::promise<void>>();
            auto all_were = called->get_future();
            asio::post(thread->executor(), [called] { called->set_value(); });
            all_were.wait();
        } catch (...) { // without memory
        }
    }
}

namespace {

const posix::ProcessMark loaded_by;

using Strand = asio::strand<asio::any_io_executor>;
using StrandHere = ProcessExecutor<Strand>;

/// Tells the clients on a context's executor when the context is destroyed.
class ContextEnd final : public asio::execution_context::service {
public:
    inline static asio::execution_context::id id;

    explicit ContextEnd(asio::execution_context& context) : service(context) {}
    /// From any thread.
    void add(std::weak_ptr<ClientStrand> client) {
        const std::lock_guard lock(mutex_);
        clients_.add(std::move(client));
    }

private:
    /// No thread runs the context any more, and its services still exist.
    void shutdown() noexcept override {
        auto clients = std::exchange(clients_, {});
        clients.for_each([](ClientStrand& client) { client.on_context_end(); });
    }

    std::mutex mutex_;
    WeakList<ClientStrand> clients_;
};

} // namespace

asio::any_io_executor spare_executor() {
    if (loaded_by.is_here()) return asio::system_executor();
    return posix::of_this_process<IoThread>().executor();
}

ClientStrand::ClientStrand(const std::optional<asio::any_io_executor>& executor, bool has_tracer)
    : outer_executor_(executor.value_or(asio::any_io_executor())) {
    if (executor) {
        // Not on the user's strand, whose handlers may take long.
        strand_ = StrandHere(Strand(below_strands(outer_executor_)), process_);
    } else {
        threads_.protocol = std::make_shared<IoThread>();
        strand_ = threads_.protocol->executor();
    }
    posting_ = asio::require(strand_, asio::execution::blocking.never);
    if (has_tracer) tracing_ = Strand(ClientStrand::executor());
}

asio::any_io_executor ClientStrand::executor() const {
    if (outer_executor_) return outer_executor_;
    if (!is_here()) return spare_executor();
    std::call_once(user_thread_begun_, [this] {
        threads_.user = std::make_shared<IoThread>();
        has_user_thread_ = true;
    });
    return threads_.user->executor();
}

bool ClientStrand::running_in_this_thread() const {
    if (owns_thread()) return threads_.protocol->runs_in_this_thread();
    // The strand may be free, but a context with one thread has no other thread to run it.
    return strand_.target<StrandHere>()->inner().running_in_this_thread() || runs_in_this_thread(outer_executor_);
}

void ClientStrand::post(std::function<void()> function) {
    if (!is_here()) return;
    if (owns_thread()) return posting_.execute(std::move(function));
    const std::lock_guard lock(posted_mutex_); // until it is posted, so that both queues have one order
    if (context_ == Context::has_ended) return;
    posted_.push_back(std::move(function));
    if (context_ == Context::ends) return;
    posting_.execute(while_alive(weak_from_this(), [this] { run_first_posted(); }));
}

/// Runs the function that was posted first, on the strand. Returns false if there was none.
bool ClientStrand::run_first_posted() {
    std::unique_lock lock(posted_mutex_);
    if (posted_.empty()) return false;
    const auto function = std::move(posted_.front());
    posted_.pop_front();
    lock.unlock();
    function();
    return true;
}

void ClientStrand::run_posted() {
    while (run_first_posted()) {
    }
}

void ClientStrand::attend_context() {
    asio::use_service<ContextEnd>(asio::query(outer_executor_, asio::execution::context)).add(weak_from_this());
}

void ClientStrand::finish_context_end() {
    const std::lock_guard lock(posted_mutex_);
    context_ = Context::has_ended;
}

void ClientStrand::call_user(std::function<void()> function) noexcept {
    if (!is_here() || !has_context()) return;
    try {
        if (tracing_) asio::post(tracing_, std::move(function));
    } catch (...) {
        // Without memory, the user's function is not called.
    }
}

void ClientStrand::await_tracer() {
    if (!tracing_ || runs_in_this_thread(tracing_)) return;
    auto told = std::make_shared<std::promise<void>>();
    const auto heard = told->get_future();
    call_user([told = std::move(told)] { told->set_value(); });
    heard.wait(); // also ends if the function could not be posted
}

IoThreads ClientStrand::threads() const {
    return {has_user_thread_ ? threads_.user : nullptr, threads_.protocol};
}

} // namespace docent::detail
