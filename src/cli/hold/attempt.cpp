// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/attempt.hpp"

#include "cli/arguments/values.hpp"
#include "cli/connection.hpp"
#include "cli/hold/loss.hpp"
#include "cli/hold/owner.hpp"
#include "cli/hold/waiting_report.hpp"
#include "cli/messages.hpp"
#include "posix/event_fd.hpp"
#include "posix/threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace docent::cli {

using namespace std::chrono_literals;

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

} // namespace

/// Acquires on a separate thread, because the main thread waits for signals. Another thread reports the holder.
std::variant<HeldLeases, int> attempt(const Hold& hold, Client& client, const Acquire& acquire, Signals& signals) {
    const HoldRequest& request = hold.request;
    const milliseconds usual = connection_timeout(request.connection.connect_string);
    milliseconds connect_within = time_to_connect(request.wait, hold.words.waits_for_servers ? milliseconds::max() : usual);
    if (connect_within != milliseconds::max()) connect_within += pause_at_start(request.connection);
    const auto time_since_begin = [begin = std::chrono::steady_clock::now()] {
        return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
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
    std::optional<milliseconds> until_report;
    if (hold.words.reports_waiting && (!request.quiet || is_below_a_holder())) // it may wait for its own docent
        until_report = first_report(request.verbose || is_below_a_holder());
    std::optional<milliseconds> until_outage_report; // a wait for servers without an end is reported once
    if (connect_within == milliseconds::max()) until_outage_report = usual + pause_at_start(request.connection);
    while (!done.raised()) {
        auto pause = watches_refusals && !connected ? std::optional(refusal_check) : until_report;
        if (until_outage_report) pause = std::min(pause.value_or(*until_outage_report), *until_outage_report);
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
        if (until_outage_report && waited >= *until_outage_report) {
            until_outage_report.reset();
            if (!connected) hold.report("no ZooKeeper answers; waiting for one");
        }
        if (until_report && waited >= *until_report && !done.raised()) {
            until_report.reset();
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
    if (refused && !connected) ec = error::not_connected;
    return ec ? report_not_acquired(ec, hold, client) : exit_code::success;
}

} // namespace docent::cli
