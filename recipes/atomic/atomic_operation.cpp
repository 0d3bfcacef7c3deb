// SPDX-License-Identifier: Apache-2.0
#include "atomic/atomic_operation.hpp"

#include "client/core/parents/parents.hpp"
#include "client/data/data_codec.hpp"

#include <boost/asio/error.hpp>

#include <utility>

namespace docent::detail {

AtomicOperation::AtomicOperation(std::shared_ptr<ClientView> view, std::shared_ptr<AtomicCore> core, AtomicMachine::Plan plan,
                                 Done<AtomicBytes> done)
    : ConnectedOperation(std::move(view), std::move(done)), core_(std::move(core)), plan_(std::move(plan)) {
    const AtomicOptions& options = core_->options();
    plan_.retry = options.retry;
    if (options.promoted) plan_.promoted = options.promoted->retry;
}

void AtomicOperation::begin() {
    core_->take_turn([self = shared_from_this(), this] {
        if (!is_open()) return core_->end_turn();
        has_turn_ = true;
        when_connected([this] {
            machine_.emplace(std::move(plan_), RetryBudget(view_->retry_policy(), view_->now()));
            perform(machine_->start(view_->session().epoch, core_->known(), view_->now()));
        });
    });
}

void AtomicOperation::abort(error_code ec) {
    if (!is_open()) return;
    if (in_doubt()) core_->drop_marker();
    const auto acquire = std::exchange(acquire_, nullptr);
    if (ec == error::not_applied) complete({}, machine_->unchanged(view_->now())); // the time for tries is over
    else complete(ec, {});
    if (acquire) acquire->abort(asio::error::operation_aborted); // its answer is ignored
}

Awaited AtomicOperation::awaited() const {
    if (in_doubt()) return Awaited::effect;
    return machine_ && machine_->tries() > 0 ? Awaited::success : Awaited::answer;
}

void AtomicOperation::complete(error_code ec, AtomicBytes result) {
    mutex_ = Lease();
    if (std::exchange(has_turn_, false)) core_->end_turn();
    finish(ec, std::move(result));
}

void AtomicOperation::perform(const AtomicAction& action) {
    std::visit([this](const auto& a) { act(a); }, action);
}

void AtomicOperation::act(const ReadValue&) {
    if (!core_->marker().made()) make_marker([](error_code) {}); // in the same round trip as the read
    core_->read(*view_, [self = shared_from_this(), this](error_code ec, SeenValue seen) {
        if (is_open()) perform(machine_->on_read(ec, std::move(seen), view_->now(), view_->random()));
    });
}

void AtomicOperation::make_marker(std::function<void(error_code)> then) {
    ask(core_->marker().make(), [this, then = std::move(then)](const zk::Reply& reply) {
        core_->marker().on_made(reply.ec);
        then(reply.ec);
    });
}

/// `parents`: the answers to the creates of the parents, if they were sent just before; else null.
void AtomicOperation::with_marker(std::function<void()> next, SharedParentAnswers parents) {
    making_marker_ = !core_->marker().made();
    if (!making_marker_) return next();
    make_marker([this, next = std::move(next), parents = std::move(parents)](error_code ec) {
        making_marker_ = false;
        if (core_->marker().made()) return next();
        if (ec != server_error::no_node || parents) {
            ec = error_of_create(*view_, ec, parents);
            return perform(machine_->on_written({WriteAnswer::Kind::unsent, ec}, view_->now(), view_->random()));
        }
        with_marker(next, submit_parents(*view_, core_->marker().path()));
    });
}

void AtomicOperation::act(const WriteValue& action) {
    std::string data = action.data;
    if (const error_code ec = encode_data(view_->config(), core_->path(), Compression::client_default, data)) {
        return complete(ec, {});
    }
    with_marker([this, action, data] { send(action, data); });
}

void AtomicOperation::send(const WriteValue& action, std::string data) {
    const auto flight = std::make_shared<Flight>();
    if (action.with_parents) flight->parents = submit_parents(*view_, core_->path());
    sent_ = true;
    ask(core_->marker().write(core_->path(), std::move(data), action),
        [this, flight](const zk::Reply& reply) { on_written(*flight, reply); });
    core_->read(*view_, [self = shared_from_this(), this, flight](error_code ec, SeenValue seen) {
        on_read_behind(*flight, ec, std::move(seen));
    });
}

void AtomicOperation::on_written(Flight& flight, const zk::Reply& reply) {
    WriteAnswer answer = core_->marker().on_written(reply);
    if (answer.kind == WriteAnswer::Kind::no_marker) core_->drop_marker();
    if (answer.kind == WriteAnswer::Kind::applied) {
        core_->clear_away_markers(reply.results.front().stat.value_or(Stat{}).mtime);
    }
    if (answer.kind != WriteAnswer::Kind::refused) {
        return perform(machine_->on_written(std::move(answer), view_->now(), view_->random()));
    }
    answer.ec = error_of_create(*view_, answer.ec, flight.parents);
    flight.refused = std::move(answer);
    if (flight.read) on_refused(flight);
}

void AtomicOperation::on_read_behind(Flight& flight, error_code ec, SeenValue seen) {
    flight.read = true;
    if (!ec) flight.behind = std::move(seen);
    if (flight.refused && is_open()) on_refused(flight);
}

void AtomicOperation::on_refused(Flight& flight) {
    flight.refused->behind = std::move(flight.behind);
    perform(machine_->on_written(*std::exchange(flight.refused, std::nullopt), view_->now(), view_->random()));
}

void AtomicOperation::act(const FindOut&) {
    const auto fenced = std::make_shared<error_code>();
    view_->submit(core_->marker().fence(), [fenced](const zk::Reply& reply) { *fenced = reply.ec; });
    ask(zk::GetRequest{core_->marker().path()}, [this, fenced](const zk::Reply& reply) {
        const auto answer = core_->marker().on_read(reply, *fenced);
        perform(machine_->on_found_out(answer.ec, answer.finding, view_->now(), view_->random()));
    });
}

void AtomicOperation::act(const PauseAtomic& action) {
    after_pause(action.length,
                [this] { perform(machine_->on_connected(view_->session().epoch, core_->known(), view_->now())); });
}

void AtomicOperation::act(const TakeMutex&) {
    const PromotedToLock& lock = *core_->options().promoted;
    AcquireWait wait;
    if (lock.max_wait) wait = {AcquireWait::Kind::until, later(view_->now(), *lock.max_wait)};
    acquire_ = std::make_shared<AcquireOperation>(
        view_, QueuePlace{lock.path, mutex_names(), lock_token}, wait, core_->boot_now(),
        [self = shared_from_this(), this](error_code ec, Lease lease) {
            acquire_.reset();
            if (!is_open()) return;
            mutex_ = std::move(lease);
            perform(machine_->on_mutex(ec, view_->session().epoch, core_->known(), view_->now()));
        });
    const auto acquire = acquire_; // a copy: it may complete inside begin()
    acquire->begin();
}

void AtomicOperation::act(const FinishAtomic& action) {
    if (in_doubt()) core_->drop_marker();
    complete(action.ec, action.result);
}

} // namespace docent::detail
