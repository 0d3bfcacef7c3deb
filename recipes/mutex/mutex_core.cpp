// SPDX-License-Identifier: Apache-2.0
#include "mutex/mutex_core.hpp"
#include "client/core/access.hpp"
#include "client/core/completion/completion.hpp"
#include "client/core/launch.hpp"

#include "local/local_acquire.hpp"

#include <boost/thread/lock_guard.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace docent::detail {

namespace {

/// The key of a LocalQueue: all that must be equal for holds to share a node. It has the path on the servers and the user's
/// path: in another namespace, the same node has another path.
std::string name_of_local(const ClientView& view, const QueuePlace& place) {
    const auto& terms = place.terms;
    std::string name = view.server_path(place.path) + '\n' + place.path + '\n' + std::string(place.token.text) + '\n';
    for (const auto& other : place.names.other_tokens()) {
        name += std::string(other.text) + (other.kind == ContenderKind::shared ? " shared\n" : "\n");
    }
    for (const std::int64_t option : {std::int64_t{terms.keep_for.count()}, std::int64_t{terms.max_local_handovers},
                                      std::int64_t{terms.max_hold.value_or(std::chrono::milliseconds::max()).count()}}) {
        name += std::to_string(option) + '\n';
    }
    return terms.node_data ? name + "data " + *terms.node_data : name;
}

std::shared_ptr<LocalQueue> local_queue(const std::shared_ptr<ClientView>& view, const QueuePlace& place,
                                        const BootNow& boot_now) {
    if (!LocalQueue::is_wanted(place.terms)) return nullptr;
    const auto make = [&] { return std::make_shared<LocalQueue>(view, place, boot_now); };
    return counted_apart(view->shared_objects().get<LocalQueue>(name_of_local(*view, place), make));
}

bool is_read_and_kept(const std::shared_ptr<LocalQueue>& local) {
    return local && local->is_read_and_kept();
}

SharedByThreads<LocalQueue> shared_by_readers(const std::shared_ptr<LocalQueue>& local) {
    return is_read_and_kept(local) ? SharedByThreads<LocalQueue>(local) : SharedByThreads<LocalQueue>();
}

} // namespace

MutexCore::MutexCore(std::shared_ptr<ClientView> view, std::string path, BootNow boot_now, LeaseTerms terms,
                     OtherNamesPtr others)
    : MutexCore(std::move(view),
                {std::move(path), mutex_names().beside(std::move(others)), lock_token, Deletion::admits, std::move(terms)},
                std::move(boot_now)) {}

MutexCore::MutexCore(std::shared_ptr<ClientView> view, QueuePlace place, BootNow boot_now)
    : view_(std::move(view)), place_(std::move(place)), boot_now_(std::move(boot_now)),
      local_(local_queue(view_, *place_, boot_now_)), locals_(shared_by_readers(local_)),
      holds_(is_read_and_kept(local_) ? ThreadHolds::Threads::many : ThreadHolds::Threads::few) {}

void MutexCore::set_revocation_handler(std::function<void(const std::string&)> function, asio::any_io_executor executor) {
    std::shared_ptr<const RevocationHandler> handler; // the old one is destroyed outside of the mutex
    if (function) handler = std::make_shared<RevocationHandler>(RevocationHandler{std::move(function), std::move(executor)});
    const std::lock_guard lock(handler_mutex_);
    has_handler_ = handler != nullptr;
    handler_.swap(handler);
    listener_.reset();
}

void MutexCore::on_granted(const Lease& lease) const {
    if (!lease || !has_handler_) return; // without the mutex
    RevocationListenerPtr listener;
    {
        const std::lock_guard lock(handler_mutex_);
        if (!handler_) return;
        listener = listener_.lock();
        if (!listener) {
            const auto call = [handler = handler_](const std::string& node_path) { handler->function(node_path); };
            listener_ = listener = make_revocation_listener(*view_, call, handler_->executor);
        }
    }
    Access::core(lease)->make_revocable(std::move(listener));
}

bool MutexCore::held_by_this_thread() const {
    return holds_.held() != ThreadHolds::Ownership::nothing || sibling().kind != Sibling::Kind::none;
}

namespace {

/// Whether the call has neither a tracer nor an earlier stop request, so that it needs no operation.
bool is_plain(const ClientView& view, const CallOptions& call) {
    return !view.config().tracer && !call.stop.stop_requested();
}

} // namespace

Lease MutexCore::acquire_at_once(const CallOptions& call) const {
    const auto& queue = local();
    if (!queue || !is_plain(*view_, call)) return {};
    Lease lease = queue->enter_at_once(queue);
    on_granted(lease);
    return lease;
}

bool MutexCore::waits_locally(const AcquireWait& wait, const CallOptions& call) const {
    const bool as_long_as_it_takes = wait.kind == AcquireWait::Kind::forever && !call.timeout;
    return local() && local()->joins() && as_long_as_it_takes && is_plain(*view_, call);
}

std::shared_ptr<Operation> MutexCore::attempt(std::shared_ptr<ClientView> view, AcquireWait wait, Done<Lease> done) const {
    Done<Lease> granted = [self = shared_from_this(), done = std::move(done)](error_code ec, Lease lease) {
        self->on_granted(lease);
        done(ec, std::move(lease));
    };
    return std::make_shared<AcquireOperation>(std::move(view), local(), place_, wait, boot_now_, std::move(granted));
}

asio::any_io_executor executor_of(const MutexCore& core) {
    return core.view()->executor();
}

void initiate_acquire(const std::shared_ptr<MutexCore>& core, AcquireWait wait, CallOptions call, Handler<Lease> handler) {
    if (core->local()) {
        if (Lease lease = core->acquire_at_once(call)) {
            return complete_at_once<Lease>(*core->view(), std::move(handler), {}, std::move(lease));
        }
    }
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<Lease> done) {
        return core->attempt(view, wait, std::move(done));
    };
    launch<Lease>(core->view(), {"acquire", core->path()}, std::move(call), std::move(handler), make);
}

// ---- the locks of threads

/// Calls `function` with the calling thread's hold, or with null.
template <typename Function> auto ThreadHolds::with_own(Function function) const {
    if (!process_.is_here()) return function(static_cast<ThreadHold*>(nullptr));
    Part& own = part();
    const bool no_holds = own.size.load(std::memory_order_relaxed) == 0; // pairs with this thread's own writes
    if (no_holds) return function(static_cast<ThreadHold*>(nullptr));
    boost::lock_guard lock(own.mutex);
    const auto hold = own.holds.find(this_thread_key());
    return function(hold == own.holds.end() ? nullptr : &hold->second);
}

ThreadHolds::Ownership ThreadHolds::held() const {
    return with_own([](const ThreadHold* hold) {
        if (!hold) return Ownership::nothing;
        return hold->lease.owns() ? Ownership::surely : Ownership::lost;
    });
}

void ThreadHolds::enter_again() {
    Part& own = part();
    boost::lock_guard lock(own.mutex);
    ++own.holds.at(this_thread_key()).count;
}

void ThreadHolds::enter(Lease lease) {
    Part& own = part();
    boost::lock_guard lock(own.mutex);
    own.holds.emplace(this_thread_key(), ThreadHold{std::move(lease)});
    own.size.store(own.holds.size(), std::memory_order_relaxed); // pairs with a later read of this thread
}

bool ThreadHolds::leave() {
    if (!process_.is_here()) return true; // a guard that goes out of scope must not throw
    Lease last;                           // released outside of the mutex
    Part& own = part();
    boost::lock_guard lock(own.mutex);
    const auto hold = own.holds.find(this_thread_key());
    if (hold == own.holds.end()) return false;
    if (--hold->second.count > 0) return true;
    last = std::move(hold->second.lease);
    own.holds.erase(hold);
    own.size.store(own.holds.size(), std::memory_order_relaxed); // pairs with a later read of this thread
    return true;
}

std::shared_ptr<LeaseCore> ThreadHolds::lease() const {
    return with_own([](const ThreadHold* hold) { return hold ? Access::core(hold->lease) : nullptr; });
}

} // namespace docent::detail
