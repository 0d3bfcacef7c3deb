// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/hold.hpp"

#include "cli/arguments/values.hpp"
#include "cli/connection.hpp"
#include "cli/guard/guard.hpp"
#include "cli/hold/loss.hpp"
#include "cli/hold/owner.hpp"
#include "cli/hold/supervisor.hpp"
#include "cli/hold/waiting_report.hpp"
#include "cli/messages.hpp"
#include "cli/signals.hpp"
#include "cli/view/shown.hpp"
#include "posix/threads.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include <signal.h>

namespace docent::cli {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

bool HeldLeases::any_is(LeaseState state) const {
    return std::any_of(leases.begin(), leases.end(), [state](const auto& lease) { return lease->state() == state; });
}

milliseconds time_to_connect(const QueueTime& wait, milliseconds usual) {
    const auto* limit = std::get_if<AtMostInQueue>(&wait);
    return limit != nullptr ? std::max<milliseconds>(limit->time, 1s) : usual;
}

QueueTime left_in_queue(const QueueTime& wait, milliseconds passed) {
    const auto* limit = std::get_if<AtMostInQueue>(&wait);
    if (limit == nullptr) return wait;
    if (limit->time <= passed) return NoQueue{};
    return AtMostInQueue{limit->time - passed};
}

std::optional<int> code_of_lease_end(const error_code& ec, LeaseState state) {
    if (state == LeaseState::expired) return exit_code::held_too_long;
    return ec == error::lease_lost || state == LeaseState::lost ? std::optional(exit_code::lock_lost) : std::nullopt;
}

std::string Hold::name() const {
    std::string text = std::string(words.kind) + " " + request.path;
    for (const auto& path : request.more_paths) text += ", " + path;
    return text;
}

void Hold::report(const std::string& text) const {
    post_error(name() + ": " + text);
}

int Hold::report_loss(std::string_view when) const {
    report("the " + std::string(words.thing) + " was lost before " + std::string(when) +
           words_of(losses.reason()).for_messages);
    return exit_code::lock_lost;
}

namespace {

constexpr milliseconds refusal_check = 10ms;

/// Reports a session timeout that the servers have changed to fit their limits.
void report_timeout(const Hold& hold, const Client& client) {
    const milliseconds wanted = hold.request.connection.session_timeout;
    const milliseconds granted = client.negotiated_timeout();
    if (granted == wanted) return;
    hold.report("the servers grant a session timeout of " + to_text(granted) + ", not the " + to_text(wanted) +
                " that was asked for");
}

/// Reports why nothing was acquired. Returns the exit code.
int report_not_acquired(const error_code& ec, const Hold& hold, Client& client) {
    if (ec == error::lock_node_deleted) {
        hold.report("not acquired: " + ec.message());
        return exit_code::not_acquired;
    }
    if (ec == error::lease_lost) return hold.report_loss("the command was started");
    if (ec == server_error::no_auth) return report_failure(ec, hold.name() + hold.losses.obstacle(), client);
    if (ec != error::not_acquired) return report_failure(ec, hold.name(), client);
    if (hold.request.quiet) return hold.request.conflict_exit_code;
    const auto* limit = std::get_if<AtMostInQueue>(&hold.request.wait);
    const auto holder = held_by(client, hold.request);
    const std::string outcome =
        limit != nullptr ? "not acquired within " + to_text(limit->time) : std::string(hold.words.taken);
    hold.report(outcome + (holder.empty() ? "" : (limit != nullptr ? ", " : ": ") + holder));
    return hold.request.conflict_exit_code;
}

/// Connects and acquires, on a separate thread, because the main thread waits for signals. During a long wait, another thread
/// reports the holder. A signal ends the attempt. An attempt with --no-wait ends as soon as every server has refused the
/// connection. Reports a failure, and then returns the exit code.
std::variant<HeldLeases, int> attempt(const Hold& hold, Client& client, const Acquire& acquire, Signals& signals) {
    const HoldRequest& request = hold.request;
    const milliseconds usual = connection_timeout(request.connection.connect_string);
    milliseconds connect_within = time_to_connect(request.wait, hold.words.waits_for_servers ? milliseconds::max() : usual);
    if (connect_within != milliseconds::max()) connect_within += pause_at_start(request.connection);
    const auto time_since_begin = [begin = steady_clock::now()] {
        return std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
    };
    std::optional<HeldLeases> held;
    error_code ec;
    posix::EventFd done;
    int interrupted_by = 0;
    bool refused = false;
    bool ended = false; // by Hold::end
    std::atomic<bool> connected = false;
    const bool watches_refusals = std::holds_alternative<NoQueue>(request.wait);
    std::exception_ptr failure;
    std::jthread worker = posix::start_quiet_thread<std::jthread>([&](const std::stop_token& stop) {
        try {
            do client.wait_connected(ec, {.timeout = connect_within, .stop = stop});
            while (ec == error::tls_failed && hold.words.waits_for_servers); // a certificate may be replaced
            if (!ec) connected = true;
            if (!ec && request.verbose) report_timeout(hold, client);
            if (!ec) held = acquire(client, left_in_queue(request.wait, time_since_begin()), stop, ec);
        } catch (...) {
            failure = std::current_exception();
        }
        done.raise();
    });
    std::optional<std::jthread> reporter;
    // When to make two reports, counted from the beginning. Each is made once. With --quiet, the wait is reported only below
    // another docent that holds a lock: the wait may be for that lock.
    std::optional<milliseconds> report_after;
    if (hold.words.reports_waiting && (!request.quiet || is_below_a_holder()))
        report_after = first_report(request.verbose || is_below_a_holder());
    std::optional<milliseconds> report_outage_after; // only if the wait for servers has no limit
    if (connect_within == milliseconds::max()) report_outage_after = usual + pause_at_start(request.connection);
    while (!done.raised()) {
        std::optional<milliseconds> pause = report_after;
        if (report_outage_after) pause = std::min(pause.value_or(*report_outage_after), *report_outage_after);
        if (pause) pause = std::max(*pause - time_since_begin(), 0ms);
        if (watches_refusals && !connected) pause = std::min(pause.value_or(refusal_check), refusal_check);
        const bool may_end = hold.end != nullptr && !ended;
        posix::wait_readable({signals.fd(), done.fd(), may_end ? hold.end->fd() : -1}, pause);
        const auto waited = time_since_begin();
        if (may_end && hold.end->raised()) {
            ended = true;
            worker.request_stop();
        }
        if (watches_refusals && !connected && !refused && every_server_refused(client.last_connect_error())) {
            refused = true;
            worker.request_stop();
        }
        if (report_outage_after && waited >= *report_outage_after) {
            report_outage_after.reset();
            if (!connected) hold.report("no ZooKeeper answers; waiting for one");
        }
        if (report_after && waited >= *report_after && !done.raised()) {
            report_after.reset();
            try {
                reporter = posix::start_quiet_thread<std::jthread>([&, waited](const std::stop_token& stop) {
                    report_waiting(client, request, std::string(hold.words.kind), waited, stop);
                });
            } catch (const std::system_error&) { // without a thread there is no report; the place in the queue matters more
            }
        }
        while (const auto signal = signals.next_to_end()) {
            interrupted_by = *signal;
            worker.request_stop();
        }
    }
    worker.join();
    reporter.reset(); // stops and joins its thread
    if (failure) std::rethrow_exception(failure);
    if (interrupted_by != 0) return exit_code::by_signal(interrupted_by);
    if (ended) return exit_code::success;
    if (held) return std::move(*held);
    // A server may have accepted the connection at this moment.
    if (refused && (!connected || ec == boost::asio::error::operation_aborted)) ec = error::not_connected;
    return ec ? report_not_acquired(ec, hold, client) : exit_code::success;
}

/// Prints on a separate thread: if nobody reads, a write may block for ever, and docent must notice the end of the hold all the
/// same. The thread may outlive this object. It ends with the process.
class Printing {
public:
    explicit Printing(std::string text) {
        auto printing = [ended = ended_, promise = std::move(promise_), text = std::move(text)]() mutable {
            try {
                print(text);
                promise.set_value();
            } catch (...) {
                promise.set_exception(std::current_exception());
            }
            ended->raise();
        };
        posix::start_quiet_thread(std::move(printing)).detach();
    }
    /// Readable when all is printed, or a write has failed; -1 after that.
    int fd() const { return result_.valid() ? ended_->fd() : -1; }
    /// Waits until all is printed, for a second at most.
    void finish() {
        if (result_.valid()) posix::wait_readable({fd()}, 1s);
        check();
    }
    /// Throws after a failure.
    void check() {
        if (result_.valid() && ended_->raised()) result_.get();
    }

private:
    const std::shared_ptr<posix::EventFd> ended_ = std::make_shared<posix::EventFd>();
    std::promise<void> promise_;
    std::future<void> result_ = promise_.get_future(); // valid until check() takes the result
};

/// Holds until `end`, or for ever. A signal, a loss, a request of another client, or --max-hold ends the hold earlier. Returns
/// false after a loss.
bool hold_until(std::optional<steady_clock::time_point> end, const HeldLeases& held, Signals& signals,
                Printing* printing = nullptr) {
    posix::EventFd lost;
    std::list<std::stop_callback<std::function<void()>>> on_lost;
    for (const auto& lease : held.leases) on_lost.emplace_back(lease->stop_token(), [&lost] { lost.raise(); });
    while (!lost.raised() && !held.asked_for->raised() && !signals.next_to_end()) {
        if (printing != nullptr) printing->check();
        auto pause = milliseconds(1h);
        if (end) pause = std::min(pause, std::chrono::ceil<milliseconds>(*end - steady_clock::now()));
        if (pause <= 0ms) break;
        const int printed = printing != nullptr ? printing->fd() : -1;
        posix::wait_readable({lost.fd(), held.asked_for->fd(), signals.fd(), printed}, pause);
    }
    return !held.any_is(LeaseState::lost);
}

/// Releases the leases with the session, which ends next anyway. This takes one round trip and not two. Returns false if a
/// lease was lost before, and that matters.
bool give_back(const Hold& hold, const HeldLeases& held, Client& client) {
    const bool lost = held.any_is(LeaseState::lost);
    client.close();
    return !lost || !hold.words.late_loss_matters;
}

/// Holds without a program, and so without a guard.
HoldOutcome only_hold(const Hold& hold, const HeldLeases& held, Client& client, Signals& signals, LossCommand& on_lost) {
    ::signal(SIGPIPE, SIG_IGN); // print() reports a closed pipe like other write errors
    std::string lines;
    for (const auto& lease : held.leases) lines += lease->node_path() + " " + std::to_string(lease->fencing_token()) + "\n";
    Printing printing(std::move(lines));
    hold_until(std::nullopt, held, signals, &printing);
    HoldOutcome outcome;
    if (held.any_is(LeaseState::lost)) {
        on_lost.start(held);
        hold.report("the " + std::string(hold.words.thing) + " was lost" + words_of(hold.losses.reason()).for_messages);
        outcome.exit_code = exit_code::lock_lost;
    } else if (held.any_is(LeaseState::expired)) {
        hold.report("--max-hold is over");
        outcome.exit_code = exit_code::held_too_long;
    } else if (held.asked_for->raised()) {
        hold.report("another client asks for the " + std::string(hold.words.thing));
    }
    const bool given_back = give_back(hold, held, client);
    outcome.lost = !given_back;
    if (!given_back && outcome.exit_code == exit_code::success) {
        on_lost.start(held);
        outcome.exit_code = hold.report_loss("it was given back");
    }
    if (outcome.exit_code == exit_code::success) printing.finish();
    return outcome;
}

/// Runs the program, records its success, holds for as long as --hold-at-least says, and releases.
HoldOutcome run_while_held(const Hold& hold, const HeldLeases& held, Client& client, Signals& signals, Guard& guard,
                           LossCommand& on_lost) {
    HoldOutcome outcome = run_program(hold, held, client, signals, guard);
    if (outcome.lost) on_lost.start(held);
    const bool ended_by_us = outcome.lost || outcome.expired;
    const bool cut_off = ended_by_us || outcome.to_end || held.asked_for->raised(); // CMD may have exited with 0 all the same
    const bool to_be_recorded = held.record_run && !cut_off && outcome.exit_code == exit_code::success;
    if (to_be_recorded) outcome.exit_code = held.record_run(*held.leases.front());
    else if (held.record_run && outcome.started && !ended_by_us && outcome.exit_code == exit_code::success)
        hold.report("this run does not count: docent was asked to end it");
    if (to_be_recorded && outcome.exit_code == exit_code::lock_lost) on_lost.start(held);
    const auto& at_least = hold.request.hold_at_least;
    const bool held_for_longer =
        !at_least || cut_off || !outcome.started || hold_until(*outcome.started + *at_least, held, signals);
    if (!held_for_longer) on_lost.start(held);
    const bool given_back = give_back(hold, held, client);
    outcome.lost = outcome.lost || !given_back;
    if (ended_by_us || to_be_recorded) return outcome; // a run that is recorded is done; a later loss does not matter
    if (!held_for_longer) outcome.exit_code = hold.report_loss("it was held for as long as --hold-at-least says");
    else if (!given_back) outcome.exit_code = hold.report_loss("the command ended");
    if (!given_back) on_lost.start(held);
    return outcome;
}

} // namespace

HoldOutcome hold(const HoldRequest& request, const Acquire& acquire, const HoldWords& words,
                 std::shared_ptr<const posix::EventFd> end) {
    const auto losses = std::make_shared<LossListener>();
    const Hold hold{request, words, *losses, std::move(end)};
    LossCommand on_lost(hold);
    std::optional<Guard> guard;
    if (!request.program.empty()) guard.emplace(request.program, request.end_signal); // starts a process: before the threads
    Signals signals(signals_for_commands());
    ClientConfig config = client_config(request.connection);
    config.own_parents = request.own_parents;
    config.tracer = losses;
    config.connection_timeout =
        std::max<milliseconds>(time_to_connect(request.wait, 15s), 15s); // an outage must not end the wait in the queue
    const auto begin = steady_clock::now();
    HoldOutcome outcome;
    outcome.exit_code = with_client(std::move(config), hold.name(), [&](Client& client) {
        const auto result = attempt(hold, client, acquire, signals);
        if (const int* not_acquired = std::get_if<int>(&result)) return *not_acquired;
        const HeldLeases& held = std::get<HeldLeases>(result);
        const auto waited = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
        const bool wait_was_reported = words.reports_waiting && !request.quiet && waited >= first_report(false);
        if (request.verbose || wait_was_reported) hold.report(std::string(words.acquired) + " after " + to_age(waited));
        try {
            outcome = guard ? run_while_held(hold, held, client, signals, *guard, on_lost)
                            : only_hold(hold, held, client, signals, on_lost);
        } catch (...) {    // for example without memory
            guard.reset(); // kills the program before `held` releases the lock
            throw;
        }
        if (request.verbose && !outcome.lost) hold.report(std::string(words.given_back));
        return outcome.exit_code;
    });
    on_lost.await_end(signals); // the lock is released, so this may wait
    flush_errors();
    return outcome;
}

} // namespace docent::cli
