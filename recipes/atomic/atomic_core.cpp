// SPDX-License-Identifier: Apache-2.0
#include "atomic/atomic_core.hpp"

#include "base/time_over.hpp"
#include "base/while_alive.hpp"
#include "client/data/data_codec.hpp"
#include "local/local_acquire.hpp"

#include <docent/path.hpp>

#include <boost/asio/error.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace docent::detail {
namespace {

constexpr std::size_t marker_place = 0; // index in the transaction
constexpr std::size_t value_place = 1;
constexpr std::string_view marker_prefix = "atomic-";
constexpr std::size_t most_looked_at = 16; // markers of other objects to examine

/// The error of the operation at index `place`, if the server refused this operation. The operations behind a refused operation
/// have `runtime_inconsistency`.
error_code refusal(const zk::Reply& reply, std::size_t place) {
    if (place >= reply.results.size()) return {};
    const error_code ec = reply.results[place].ec;
    return ec == server_error::runtime_inconsistency ? error_code{} : ec;
}

} // namespace

zk::Request AtomicMarker::write(const std::string& path, std::string data, const WriteValue& how) {
    zk::MultiRequest both;
    both.operations.emplace_back(next());
    if (how.create) both.operations.emplace_back(zk::CreateRequest{.path = path, .data = std::move(data)});
    else both.operations.emplace_back(zk::SetRequest{path, std::move(data), how.version});
    return both;
}

WriteAnswer AtomicMarker::on_written(const zk::Reply& reply) {
    using enum WriteAnswer::Kind;
    if (!reply.ec) {
        on_applied();
        return {applied};
    }
    if (is_lost(reply.ec)) return {lost, reply.ec};
    if (const error_code ec = refusal(reply, marker_place)) {
        return {is_gone(ec) ? no_marker : failed, ec};
    }
    if (const error_code ec = refusal(reply, value_place)) return {refused, ec};
    return {failed, reply.ec};
}

// ---- the state that all calls share

void AtomicCore::take_turn(std::function<void()> begin) {
    if (std::exchange(busy_, true)) return waiting_.push_back(std::move(begin));
    begin();
}

void AtomicCore::end_turn() {
    busy_ = !waiting_.empty();
    if (busy_) {
        view_->post(std::move(waiting_.front()));
        return waiting_.pop_front();
    }
    if (stopped_) stop();
}

void AtomicCore::read(ClientView& through, std::function<void(error_code, SeenValue)> done) {
    if (!session_) {
        session_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent&) { forget(); }));
    }
    forget();
    const auto watch = zk::make_watch_sink(nullptr);
    *watch = while_alive(weak_from_this(), [this, mine = std::weak_ptr(watch)](const WatchEvent&) {
        if (watch_ == mine.lock()) forget();
    });
    watch_ = watch;
    through.submit(zk::GetRequest{path_, watch}, [self = shared_from_this(), watch, done = std::move(done)](zk::Reply reply) {
        SeenValue seen;
        error_code ec = reply.ec;
        if (!ec) {
            ec = decode_data(self->view_->config(), self->path_, Compression::client_default, reply.data);
            seen = {std::move(reply.data), reply.stat.version};
        }
        const bool missing = ec == server_error::no_node;
        // A later read has newer data. A missing node has no watch, so it is not remembered.
        if (!ec && self->watch_ == watch) self->known_ = seen;
        done(missing ? error_code{} : ec, std::move(seen));
    });
}

AtomicMarker& AtomicCore::marker() {
    if (!marker_) marker_.emplace(join_path(options_.marker_parent, std::string(marker_prefix) + view_->new_guid()));
    return *marker_;
}

void AtomicCore::drop_marker() {
    if (marker_) view_->remove_in_background({marker_->path()});
    marker_.reset();
}

void AtomicCore::clear_away_markers(std::int64_t now) {
    if (std::exchange(cleared_away_, true)) return;
    const auto look = [self = shared_from_this(), now](const zk::Reply& reply) {
        const auto& names = reply.children;
        const auto first = static_cast<std::size_t>(self->view_->random());
        for (std::size_t n = 0; n < std::min(names.size(), most_looked_at); ++n) {
            const std::string& name = names[(first + n) % names.size()];
            if (!name.starts_with(marker_prefix)) continue;
            self->look_at_marker(join_path(self->options_.marker_parent, name), now);
        }
    };
    view_->submit(zk::ChildrenRequest{options_.marker_parent}, look);
}

void AtomicCore::look_at_marker(const std::string& path, std::int64_t now) {
    if (marker_ && marker_->path() == path) return;
    view_->submit(zk::ExistsRequest{path}, [self = shared_from_this(), path, now](const zk::Reply& reply) {
        if (reply.ec || reply.stat.mtime + self->abandoned_after_.count() > now) return;
        self->view_->submit(zk::RemoveRequest{path, reply.stat.version},
                            [](const auto&) {}); // fails if the marker was written meanwhile
    });
}

void AtomicCore::stop() {
    stopped_ = true;
    session_.reset();
    if (std::exchange(watch_, nullptr)) view_->forget_watch(path_, zk::WatchKind::data);
    forget();
    if (!busy_) drop_marker();
}

// ---- one change

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
        view_, nullptr, QueuePlace{lock.path, mutex_names(), lock_token}, wait, core_->boot_now(),
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
