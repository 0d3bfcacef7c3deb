// SPDX-License-Identifier: Apache-2.0
#include "atomic/atomic_machine.hpp"

#include "base/time_over.hpp"

#include <utility>

namespace docent::detail {
namespace {

// A write is repeated at once if its parent or the marker is missing: servers remove empty containers, and another client may
// remove the marker. More repeats than this are not expected.
constexpr int most_repeats = 10;

} // namespace

AtomicAction AtomicMachine::start(std::uint64_t epoch, const std::optional<SeenValue>& known, steady_clock::time_point now) {
    budget_.leaves_session(epoch); // notes the session of the first try
    began_ = tries_began_ = now;
    return begin(known ? known : plan_.guess, now);
}

AtomicAction AtomicMachine::begin(const std::optional<SeenValue>& known, steady_clock::time_point now) {
    fresh_ = false;
    if (!known) return ReadValue{};
    seen_ = *known;
    return write(now);
}

AtomicAction AtomicMachine::on_read(error_code ec, SeenValue seen, steady_clock::time_point now, std::uint64_t random) {
    if (is_lost(ec)) return again(Next::change, ec, now, random);
    if (ec) return fail(ec, now);
    seen_ = std::move(seen);
    fresh_ = true;
    return write(now);
}

AtomicAction AtomicMachine::write(steady_clock::time_point now) {
    NewData wish = plan_.change(seen_.data);
    if (wish.ec || !wish.data) { // the known value may be out of date
        if (!fresh_) return ReadValue{};
        return wish.ec ? fail(wish.ec, now) : FinishAtomic{{}, unchanged(now)};
    }
    ++(promoted_ ? stats_.promoted_tries : stats_.optimistic_tries);
    written_ = std::move(*wish.data);
    return send();
}

AtomicAction AtomicMachine::send_again(bool with_parents, error_code ec, steady_clock::time_point now) {
    if (++repeats_ > most_repeats) return fail(ec, now);
    return send(with_parents);
}

AtomicAction AtomicMachine::send(bool with_parents) {
    in_doubt_ = true; // until the write is answered
    return WriteValue{written_, plan_.blind ? -1 : seen_.version, !seen_.data, with_parents};
}

AtomicAction AtomicMachine::on_written(WriteAnswer answer, steady_clock::time_point now, std::uint64_t random) {
    using enum WriteAnswer::Kind;
    const error_code ec = answer.ec;
    in_doubt_ = answer.kind == lost && ec == condition::outcome_unknown;
    switch (answer.kind) {
    case applied: return succeed(now);
    case no_marker: return send_again(false, ec, now);
    case failed: return fail(ec, now);
    case lost: return again(in_doubt_ ? Next::find_out : Next::change, ec, now, random);
    case unsent: return is_lost(ec) ? again(Next::change, ec, now, random) : fail(ec, now);
    case refused: break;
    }
    const bool creates = !seen_.data;
    if (creates && ec == server_error::no_node) return send_again(true, ec, now); // with parents
    const bool faster = ec == (creates ? server_error::node_exists : server_error::bad_version);
    if (faster || ec == server_error::no_node) return on_faster(std::move(answer.behind), ec, now, random);
    return fail(ec, now);
}

/// Another write came first.
AtomicAction AtomicMachine::on_faster(std::optional<SeenValue> behind, error_code ec, steady_clock::time_point now,
                                      std::uint64_t random) {
    last_error_ = ec;
    fresh_ = behind.has_value();
    if (behind) seen_ = std::move(*behind);
    if (fresh_) {
        const NewData wish = plan_.change(seen_.data);
        if (wish.ec) return fail(wish.ec, now);
        if (!wish.data) return FinishAtomic{{}, unchanged(now)};
    }
    const RetryPolicy& policy = promoted_ ? *plan_.promoted : plan_.retry;
    const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - tries_began_);
    if (const auto pause = policy.pause_before(pauses_++, elapsed, random)) {
        if (pause->count() == 0 && fresh_) return write(now);
        next_ = Next::change;
        return PauseAtomic{*pause};
    }
    if (plan_.promoted && !promoted_) {
        stats(now);
        promoted_ = true;
        began_ = now;
        return TakeMutex{};
    }
    if (plan_.blind) return fail(ec, now);
    return FinishAtomic{{}, unchanged(now)};
}

AtomicAction AtomicMachine::on_mutex(error_code ec, std::uint64_t epoch, const std::optional<SeenValue>& known,
                                     steady_clock::time_point now) {
    if (ec == error::not_acquired) return plan_.blind ? fail(last_error_, now) : FinishAtomic{{}, unchanged(now)};
    if (ec) return fail(ec, now);
    tries_began_ = now;
    pauses_ = 0;
    next_ = Next::change;
    return on_connected(epoch, known, now);
}

AtomicAction AtomicMachine::on_found_out(error_code ec, Finding finding, steady_clock::time_point now, std::uint64_t random) {
    if (is_lost(ec)) return again(Next::find_out, ec, now, random);
    if (ec || finding == Finding::nothing) return fail(ec, now);
    in_doubt_ = false;
    stats_.recovered = true;
    if (finding == Finding::applied) return succeed(now);
    next_ = Next::change;
    return PauseAtomic{}; // a pause of no length, and then a connection; the node's state is not known
}

AtomicAction AtomicMachine::on_connected(std::uint64_t epoch, const std::optional<SeenValue>& known,
                                         steady_clock::time_point now) {
    if (next_ == Next::find_out) return FindOut{};
    if (budget_.leaves_session(epoch)) return fail(server_error::session_expired, now);
    return begin(plan_.blind && !known ? seen_ : known, now);
}

AtomicAction AtomicMachine::again(Next next, error_code ec, steady_clock::time_point now, std::uint64_t random) {
    next_ = next;
    last_error_ = ec;
    // This costs no retry: the wait for a connection has its own limit, the connection timeout.
    if (ec == error::not_connected) return PauseAtomic{};
    if (ec == server_error::auth_failed) return fail(ec, now);
    const auto pause = budget_.next(ec, now, random);
    if (!pause) return fail(ec, now);
    return PauseAtomic{*pause};
}

AtomicAction AtomicMachine::succeed(steady_clock::time_point now) {
    return FinishAtomic{{}, {true, seen_.data, written_, stats(now)}};
}

AtomicAction AtomicMachine::fail(error_code ec, steady_clock::time_point now) {
    const bool says_so = ec == condition::outcome_unknown || ec == error::closed;
    if (in_doubt_ && !says_so) ec = server_error::connection_loss;
    return FinishAtomic{ec, {.stats = stats(now)}};
}

AtomicBytes AtomicMachine::unchanged(steady_clock::time_point now) {
    return {false, seen_.data, seen_.data, stats(now)};
}

AtomicStats AtomicMachine::stats(steady_clock::time_point now) {
    auto& time = promoted_ ? stats_.promoted_time : stats_.optimistic_time;
    time = std::chrono::duration_cast<std::chrono::milliseconds>(now - began_);
    return stats_;
}

} // namespace docent::detail
