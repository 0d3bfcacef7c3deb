// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/hold.hpp"

#include "cli/arguments/duration.hpp"
#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/guard/guard.hpp"
#include "cli/hold/event_flag.hpp"
#include "cli/hold/signals.hpp"
#include "cli/hold/supervisor.hpp"
#include "cli/hold/wait_readable.hpp"
#include "cli/messages.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

struct Interrupted {
    int signal;
};
using Leases = std::vector<Lease>;
using Attempt = std::variant<Leases, error_code, Interrupted>;

/// The waiting is done on a thread of its own, as the main thread listens to signals: one of them ends it.
Attempt attempt(Client& client, milliseconds connect_within, const Acquire& acquire, Signals& signals) {
    Leases leases;
    error_code ec;
    EventFlag done;
    int interrupted_by = 0;
    std::exception_ptr failure;
    std::jthread worker([&](const std::stop_token& stop) {
        try {
            client.wait_connected(ec, {.timeout = connect_within, .stop = stop});
            if (!ec) leases = acquire(client, stop, ec);
        } catch (...) {
            failure = std::current_exception();
        }
        done.raise();
    });
    while (!done.raised()) {
        wait_readable({signals.fd(), done.fd()});
        while (const auto signal = signals.next()) {
            interrupted_by = signal->number;
            worker.request_stop();
        }
    }
    worker.join();
    if (failure) std::rethrow_exception(failure);
    if (interrupted_by != 0) return Interrupted{interrupted_by};
    if (ec) return ec;
    return leases;
}

/// What is to be held, and how messages call it.
struct Hold {
    const HoldRequest& request;
    const HoldWords& words;
    std::string name() const { return std::string(words.kind) + " " + request.path; }
};

int report_attempt(const error_code& ec, const Hold& hold, const Client& client) {
    if (ec == error::lock_node_deleted) {
        post_error(hold.name() + ": not acquired: " + ec.message());
        return exit_code::not_acquired;
    }
    if (ec != error::not_acquired) return report_failure(ec, hold.name(), client);
    const auto* limit = std::get_if<AtMostInQueue>(&hold.request.wait);
    post_error(hold.name() + ": " +
               (limit != nullptr ? "not acquired within " + to_text(limit->time) : std::string(hold.words.taken)));
    return exit_code::not_acquired;
}

int report_start_error(int error, const std::string& program) {
    post_error("cannot run " + program + ": " + std::strerror(error));
    return error == ENOENT ? exit_code::not_found : exit_code::not_executable; // as a shell does
}

int report_loss(const Hold& hold, std::string_view when) {
    post_error(hold.name() + ": the lock was lost before the command " + std::string(when));
    return exit_code::lock_lost;
}

/// With the certainty of a lease, which ends 7/12 of the timeout after the last answered heartbeat, it stays within what the
/// servers wait for: docs/guarantees.md.
constexpr int default_graces_in_a_timeout = 12;

constexpr auto longest_grace = std::chrono::years(1); // what is added to it should not overflow

/// How long what runs may stand still without us: the guard is told again and again that we do not.
Supervisor::Times times(const Hold& hold, const Client& client) {
    const milliseconds timeout = client.negotiated_timeout();
    const milliseconds grace = hold.request.grace.value_or(timeout / default_graces_in_a_timeout);
    return {.grace = std::min<milliseconds>(grace, longest_grace), .extend_every = std::max<milliseconds>(timeout / 20, 10ms)};
}

int run_program(const Hold& hold, Leases& leases, Supervisor::Times times, Signals& signals, Guard& guard) {
    const HoldRequest& request = hold.request;
    const std::string mark = "DOCENT_LOCK_NODE=" + leases.front().node_path(); // no two holders have the same node
    const auto token = std::to_string(leases.front().fencing_token());
    const auto revoked = std::make_shared<EventFlag>(); // a lease may be asked for after this has returned
    for (Lease& lease : leases) {
        lease.keep_node_when_lost(); // the program may live until its grace is over
        if (request.revocable) lease.make_revocable([revoked] { revoked->raise(); });
    }
    const int error = guard.start(certainly_held_until(leases), times.grace,
                                  {mark, "DOCENT_LOCK_PATH=" + request.path, "DOCENT_FENCING_TOKEN=" + token});
    if (error == too_late) {
        guard.send_all(SIGKILL); // what is about to become the program may have been stopped
        return report_loss(hold, "was started");
    }
    if (error != 0) return report_start_error(error, request.program.front());
    const int exit_code = Supervisor({guard, leases, *revoked, hold.name()}, signals, times).run();
    guard.stand_down();
    return exit_code;
}

/// All at once, and not for ever; whether they were held until now.
bool release(Leases& leases) {
    std::vector<std::future<error_code>> released;
    released.reserve(leases.size());
    for (Lease& lease : leases) {
        std::promise<error_code> promise;
        released.push_back(promise.get_future());
        lease.async_release([promise = std::move(promise)](error_code ec) mutable { promise.set_value(ec); });
    }
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    return std::none_of(released.begin(), released.end(), [&](auto& each) {
        return each.wait_until(deadline) == std::future_status::ready && each.get() == error::lease_lost;
    });
}

int run_while_held(const Hold& hold, Leases leases, const Client& client, Signals& signals, Guard& guard) {
    const int exit_code = run_program(hold, leases, times(hold, client), signals, guard);
    const bool held = release(leases);
    return held || exit_code == exit_code::lock_lost ? exit_code : report_loss(hold, "ended");
}

} // namespace

int hold(const HoldRequest& request, const Acquire& acquire, const HoldWords& words) {
    const Hold hold{request, words};
    Guard guard(request.program); // before the first thread
    Signals signals{SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    ClientConfig config = client_config(request.connection);
    const milliseconds connect_within = std::exchange(config.connection_timeout, 15s); // who is in line is more patient
    const int exit_code = with_client(std::move(config), hold.name(), [&](Client& client) {
        Attempt result = attempt(client, connect_within, acquire, signals);
        if (const auto* interrupted = std::get_if<Interrupted>(&result)) return exit_code::by_signal(interrupted->signal);
        if (const auto* ec = std::get_if<error_code>(&result)) return report_attempt(*ec, hold, client);
        return run_while_held(hold, std::get<Leases>(std::move(result)), client, signals, guard);
    });
    flush_errors(); // nothing is held any more
    return exit_code;
}

} // namespace docent::cli
