// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/hold.hpp"

#include "cli/arguments/values.hpp"
#include "cli/connection.hpp"
#include "cli/guard/guard.hpp"
#include "cli/hold/lock_command.hpp"
#include "cli/hold/loss.hpp"
#include "cli/hold/once_per.hpp"
#include "cli/hold/owner.hpp"
#include "cli/signals.hpp"
#include "cli/hold/supervisor.hpp"
#include "cli/hold/waiting_report.hpp"
#include "cli/messages.hpp"
#include "posix/event_fd.hpp"
#include "posix/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <signal.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

struct Interrupted {
    int signal;
};
using Attempt = std::variant<HeldLeases, error_code, Interrupted>;

milliseconds time_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
}

/// The request, and the words for messages.
struct Hold {
    const HoldRequest& request;
    const HoldWords& words;
    const LossListener& losses;
    std::string name() const {
        std::string text = std::string(words.kind) + " " + request.path;
        for (const auto& path : request.more_paths) text += ", " + path;
        return text;
    }
    bool reports_waiting() const { return words.reports_waiting && !request.quiet; }
};

/// Reports a session timeout that the servers have changed to fit their limits.
void report_timeout(const Hold& hold, const Client& client) {
    const milliseconds wanted = hold.request.connection.session_timeout;
    const milliseconds granted = client.negotiated_timeout();
    if (granted == wanted) return;
    post_error(hold.name() + ": the servers grant a session timeout of " + to_text(granted) + ", not the " + to_text(wanted) +
               " that was asked for");
}

constexpr milliseconds refusal_check = 10ms;

/// Acquires the lock on a separate thread, because the main thread waits for signals, which end the attempt. During a long
/// wait, another thread reports the holder. An attempt with --no-wait ends as soon as every server has refused the connection.
Attempt attempt(const Hold& hold, Client& client, milliseconds connect_within, const Acquire& acquire, Signals& signals) {
    const auto begin = std::chrono::steady_clock::now();
    std::optional<HeldLeases> held;
    error_code ec;
    posix::EventFd done;
    int interrupted_by = 0;
    bool refused = false;
    std::atomic<bool> connecting = std::holds_alternative<NoQueue>(hold.request.wait);
    std::exception_ptr failure;
    std::jthread worker = posix::start_quiet_jthread([&](const std::stop_token& stop) {
        try {
            const QueueTime& wait = hold.request.wait;
            client.wait_connected(ec, {.timeout = connect_within, .stop = stop});
            if (!ec) connecting = false;
            if (!ec && hold.request.verbose) report_timeout(hold, client);
            if (!ec) held = acquire(client, left_in_queue(wait, time_since(begin)), stop, ec);
        } catch (...) {
            failure = std::current_exception();
        }
        done.raise();
    });
    std::optional<std::jthread> reporter;
    std::optional<milliseconds> until_report;
    if (hold.words.reports_waiting && (!hold.request.quiet || is_below_a_holder())) // it may wait for its own docent
        until_report = first_look(hold.request.verbose, is_below_a_holder());
    while (!done.raised()) {
        posix::wait_readable({signals.fd(), done.fd()}, connecting ? std::optional(refusal_check) : until_report);
        const auto waited = time_since(begin);
        if (connecting && !refused && every_server_refused(client.last_connect_error())) {
            refused = true;
            worker.request_stop();
        }
        if (until_report && waited >= *until_report && !done.raised()) {
            until_report.reset();
            try {
                reporter = posix::start_quiet_jthread([&, waited](const std::stop_token& stop) {
                    report_waiting(client, hold.request, std::string(hold.words.kind), waited, stop);
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
    if (interrupted_by != 0) return Interrupted{interrupted_by};
    if (!held) return refused && connecting ? make_error_code(error::not_connected) : ec;
    return std::move(*held);
}

int report_loss(const Hold& hold, std::string_view when) {
    post_error(hold.name() + ": the " + std::string(hold.words.thing) + " was lost before " + std::string(when) +
               loss_text(hold.losses.reason()));
    return exit_code::lock_lost;
}

/// Reports that the lock was lost before CMD began.
HoldOutcome report_too_late(const Hold& hold, const HeldLeases& held) {
    if (!any_is(LeaseState::expired, held.leases)) {
        return {.exit_code = report_loss(hold, "the command was started"), .lost = true};
    }
    post_error(hold.name() + ": --max-hold was over before the command was started");
    return {.exit_code = exit_code::held_too_long, .expired = true};
}

int report_attempt(const error_code& ec, const Hold& hold, Client& client) {
    if (ec == error::lock_node_deleted) {
        post_error(hold.name() + ": not acquired: " + ec.message());
        return exit_code::not_acquired;
    }
    if (ec == error::lease_lost) return report_loss(hold, "the command was started");
    if (ec == server_error::no_auth) return report_failure(ec, hold.name() + hold.losses.obstacle(), client);
    if (ec != error::not_acquired) return report_failure(ec, hold.name(), client);
    if (hold.request.quiet) return hold.request.conflict_exit_code;
    const auto* limit = std::get_if<AtMostInQueue>(&hold.request.wait);
    const auto holder = held_by(client, hold.request);
    const std::string outcome =
        limit != nullptr ? "not acquired within " + to_text(limit->time) : std::string(hold.words.taken);
    post_error(hold.name() + ": " + outcome + (holder.empty() ? "" : (limit != nullptr ? ", " : ": ") + holder));
    return hold.request.conflict_exit_code;
}

int report_unguarded(const Hold& hold) {
    post_error(hold.name() + ": the process that guards the command was killed before the command was started");
    return exit_code::by_signal(SIGKILL);
}

int report_start_error(int error, const std::string& program) {
    post_error("cannot run " + program + ": " + std::strerror(error));
    return error == ENOENT ? exit_code::not_found : exit_code::not_executable; // as a shell does
}

/// The default grace is 1/12 of the session timeout. A lease is certain for 7/12 of the timeout after the last answered
/// heartbeat. So CMD ends before the servers end the session: docs/guarantees.md.
constexpr int default_graces_in_a_timeout = 12;

constexpr auto longest_grace = std::chrono::years(1); // so that sums with it do not overflow

/// The grace, and how often docent extends the guard's bound.
Supervisor::Times times(const Hold& hold, const Client& client) {
    const milliseconds timeout = client.negotiated_timeout();
    const milliseconds grace = hold.request.grace.value_or(timeout / default_graces_in_a_timeout);
    return {.grace = std::min<milliseconds>(grace, longest_grace), .extend_every = std::max<milliseconds>(timeout / 20, 10ms)};
}

HoldOutcome run_program(const Hold& hold, const HeldLeases& held, Supervisor::Times times, Signals& signals, Guard& guard) {
    const HoldRequest& request = hold.request;
    const Lease& first = *held.leases.front();
    const std::string mark = "DOCENT_LOCK_NODE=" + first.node_path(); // unique for each holder
    const auto token = std::to_string(first.fencing_token());
    std::vector<std::string> variables{mark, "DOCENT_LOCK_PATH=" + request.path, "DOCENT_FENCING_TOKEN=" + token};
    if (hold.words.has_owner) {
        const auto owner = own_owner({.permits = hold.words.permits, .revocable = request.revocable}); // as in the nodes
        variables.push_back(owner ? std::string(owner_variable) + "=" + *owner : owner_variable);
    }
    for (std::size_t i = 0; i < request.more_paths.size(); ++i) {
        const Lease& lease = *held.leases.at(i + 1);
        const std::string number = "_" + std::to_string(i + 2) + "=";
        variables.push_back("DOCENT_LOCK_NODE" + number + lease.node_path());
        variables.push_back("DOCENT_LOCK_PATH" + number + request.more_paths[i]);
        variables.push_back("DOCENT_FENCING_TOKEN" + number + std::to_string(lease.fencing_token()));
    }
    const int error = guard.start(certainly_held_until(held.leases), times.grace, variables);
    if (error == too_late) {
        guard.send_all(SIGKILL); // the child that becomes the program may have been stopped
        return report_too_late(hold, held);
    }
    if (error != 0) {
        guard.poll_ended();
        return {.exit_code = guard.lost() ? report_unguarded(hold) : report_start_error(error, request.program.front())};
    }
    const auto started = std::chrono::steady_clock::now();
    Supervisor supervisor({guard, held.leases, *held.asked_for, hold.losses, hold.name(), std::string(hold.words.thing)},
                          signals, times);
    const int exit_code = supervisor.run();
    guard.stand_down();
    const Supervision& supervision = supervisor.supervision();
    return {.exit_code = exit_code,
            .lost = supervision.is_lost(),
            .expired = supervision.is_expired(),
            .to_end = supervision.to_end(),
            .started = started};
}

/// Holds without a program, and so without a guard.
HoldOutcome only_hold(const Hold& hold, const HeldLeases& held, Signals& signals) {
    ::signal(SIGPIPE, SIG_IGN); // print() reports a closed pipe like other write errors
    print(listed(held));
    hold_until(std::nullopt, held, signals);
    HoldOutcome outcome;
    LossCommand on_lost(hold.request, held, hold.losses);
    if (any_is(LeaseState::lost, held.leases)) {
        on_lost.start();
        post_error(hold.name() + ": the " + std::string(hold.words.thing) + " was lost" + loss_text(hold.losses.reason()));
        outcome.exit_code = exit_code::lock_lost;
    } else if (any_is(LeaseState::expired, held.leases)) {
        post_error(hold.name() + ": --max-hold is over");
        outcome.exit_code = exit_code::held_too_long;
    } else if (held.asked_for->raised()) {
        post_error(hold.name() + ": somebody asks for the " + std::string(hold.words.thing));
    }
    const bool given_back = held.give_back();
    if (!given_back && outcome.exit_code == exit_code::success) {
        on_lost.start();
        outcome.exit_code = report_loss(hold, "it was given back");
    }
    return outcome;
}

HoldOutcome run_while_held(const Hold& hold, const HeldLeases& held, const Client& client, Signals& signals, Guard& guard) {
    HoldOutcome outcome = run_program(hold, held, times(hold, client), signals, guard);
    LossCommand on_lost(hold.request, held, hold.losses);
    if (outcome.lost && outcome.started) on_lost.start();
    const bool ended_by_us = outcome.lost || outcome.expired;
    const bool cut_off = ended_by_us || outcome.to_end || held.asked_for->raised(); // CMD may have exited with 0 all the same
    const bool to_be_recorded = held.record && !cut_off && outcome.exit_code == exit_code::success;
    if (to_be_recorded) outcome.exit_code = held.record();
    else if (held.record && outcome.started && !ended_by_us && outcome.exit_code == exit_code::success)
        post_error(hold.name() + ": this run does not count: docent was asked to end it");
    if (to_be_recorded && outcome.exit_code == exit_code::lock_lost) on_lost.start();
    const auto& at_least = hold.request.hold_at_least;
    const bool held_for_longer =
        !at_least || cut_off || !outcome.started || hold_until(*outcome.started + *at_least, held, signals);
    if (!held_for_longer) on_lost.start();
    const bool given_back = held.give_back();
    if (ended_by_us || to_be_recorded) return outcome; // a run that is recorded is done; a later loss does not matter
    if (!held_for_longer) outcome.exit_code = report_loss(hold, "it was held for as long as --hold-at-least says");
    else if (!given_back) outcome.exit_code = report_loss(hold, "the command ended");
    if (outcome.started && !given_back) on_lost.start();
    return outcome;
}

} // namespace

HoldOutcome hold(const HoldRequest& request, const Acquire& acquire, const HoldWords& words, WithoutServer without_server) {
    const auto losses = std::make_shared<LossListener>();
    const Hold hold{request, words, *losses};
    std::optional<Guard> guard;
    if (!request.program.empty()) guard.emplace(request.program, request.end_signal); // before the first thread
    Signals signals(guard ? signals_for_commands() : std::vector<int>{SIGTERM, SIGINT, SIGHUP, SIGQUIT});
    ClientConfig config = client_config(request.connection);
    config.own_parents = request.own_parents;
    config.tracer = losses;
    const milliseconds usual = without_server == WithoutServer::wait ? milliseconds::max() : config.connection_timeout;
    const milliseconds connect_within = time_to_connect(request.wait, usual);
    config.connection_timeout = std::max<milliseconds>(time_to_connect(request.wait, 15s), 15s); // for an outage in the queue
    const auto begin = std::chrono::steady_clock::now();
    HoldOutcome outcome;
    outcome.exit_code = with_client(std::move(config), hold.name(), [&](Client& client) {
        const Attempt result = attempt(hold, client, connect_within, acquire, signals);
        if (const auto* interrupted = std::get_if<Interrupted>(&result)) return exit_code::by_signal(interrupted->signal);
        if (const auto* ec = std::get_if<error_code>(&result))
            return *ec ? report_attempt(*ec, hold, client) : exit_code::success;
        const HeldLeases& held = std::get<HeldLeases>(result);
        const auto waited = time_since(begin);
        if (request.verbose || (hold.reports_waiting() && waited >= first_report(false))) // after a report of the wait
            post_error(hold.name() + ": " + std::string(words.acquired) + " after " + to_age(waited));
        outcome = guard ? run_while_held(hold, held, client, signals, *guard) : only_hold(hold, held, signals);
        if (request.verbose && !outcome.lost) post_error(hold.name() + ": " + std::string(words.given_back));
        return outcome.exit_code;
    });
    flush_errors(); // the lock is released, so this may wait
    return outcome;
}

} // namespace docent::cli
