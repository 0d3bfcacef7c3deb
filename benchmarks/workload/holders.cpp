// SPDX-License-Identifier: Apache-2.0
#include "common/processes.hpp"
#include "coroutines.hpp"
#include "works.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/tracing/tracer.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr rlim_t descriptors_of_program = 100;

/// Shared by all processes.
struct Counts {
    std::atomic<std::int64_t> granted = 0;
    std::atomic<std::int64_t> held = 0; // leases that are owned at the end
    std::atomic<std::int64_t> failed = 0;
    std::atomic<std::int64_t> reconnects = 0;
    std::atomic<std::int64_t> losses = 0;   // of sessions, as the servers say
    std::atomic<std::int64_t> presumed = 0; // losses that a client presumed, because answers came too late
    std::atomic<std::int64_t> turns = 0;    // in the window
    std::atomic<std::int64_t> kib = 0;      // of memory, for all clients
};

class SessionCounter : public docent::Tracer {
public:
    explicit SessionCounter(Counts& counts) : counts_(counts) {}
    void on_session_event(const docent::SessionEvent& event) override {
        using docent::SessionState;
        if (event.state == SessionState::suspended) was_suspended_ = true;
        if (event.state == SessionState::connected && std::exchange(was_suspended_, false)) ++counts_.reconnects;
        if (event.state == SessionState::lost) {
            ++(event.reason == docent::error::not_connected ? counts_.presumed : counts_.losses);
        }
    }

private:
    Counts& counts_;
    bool was_suspended_ = false; // the connection has broken, and no other was made since
};

/// What all clients do, and when. The processes share the steady clock.
struct Plan {
    explicit Plan(const Options& options)
        : config(client_config(options)), clients(options.number("clients")), processes(options.number("processes", 1)),
          locks(options.number("locks", 0)), ramp(options.number("ramp-ms", 0)), hold(options.number("hold-us", 0)),
          begins(steady_clock::now()), opens(begins + milliseconds{options.number("settle-ms", 5'000)}),
          length(options.number("ms")), closes(opens + length) {
        const std::string kind = options.text("heartbeats", "frequent");
        if (kind != "frequent" && kind != "relaxed") throw std::invalid_argument("--heartbeats is frequent or relaxed");
        if (kind == "relaxed") config.heartbeats = docent::Heartbeats::relaxed;
        config.session_timeout = milliseconds{options.number("session-ms", 10'000)};
        if (clients == 0 || processes == 0 || length == 0ms) {
            throw std::invalid_argument("--clients, --processes and --ms must not be 0");
        }
    }
    std::string path_of(int client) const { return "/benchmark/fleet/" + std::to_string(locks == 0 ? client : client % locks); }
    bool is_open(steady_clock::time_point now) const { return now >= opens && now < closes; }

    docent::ClientConfig config; // of each client
    int clients;
    int processes;
    int locks;                      // how many locks the clients share; 0: each client has its own
    milliseconds ramp;              // the clients start in this time
    std::chrono::microseconds hold; // 0: to the end
    steady_clock::time_point begins;
    steady_clock::time_point opens; // from then on, all clients hold or wait
    milliseconds length;
    steady_clock::time_point closes;
};

/// The clients of one process, on one thread.
class Members {
public:
    Members(const Plan& plan, Counts& counts) : plan_(plan), counts_(counts) {}

    void run(int process) {
        const long before = process_status("RssAnon");
        for (int n = process; n < plan_.clients; n += plan_.processes) {
            asio::co_spawn(io_, live(n), [this](const std::exception_ptr& failure) {
                if (failure) ++counts_.failed;
            });
        }
        asio::steady_timer opening{io_, plan_.opens};
        if (process == 0) opening.async_wait([](auto) { std::cout << "ready" << std::endl; });
        asio::steady_timer end{io_, plan_.closes};
        end.async_wait([this](auto) { io_.stop(); });
        io_.run();
        counts_.kib += process_status("RssAnon") - before;
        counts_.held += std::count_if(held_.begin(), held_.end(), [](const auto& lease) { return lease.owns(); });
        ::_exit(0); // the servers end the sessions: to close thousands of them would take longer than the measurement
    }

private:
    asio::awaitable<void> sleep_until(steady_clock::time_point when) {
        asio::steady_timer timer{io_, when};
        co_await timer.async_wait(asio::use_awaitable);
    }

    asio::awaitable<void> live(int n) {
        co_await sleep_until(plan_.begins + plan_.ramp * n / plan_.clients);
        docent::ClientConfig config = plan_.config;
        config.tracer = std::make_shared<SessionCounter>(counts_);
        docent::Client& client =
            *clients_.emplace_back(std::make_unique<docent::Client>(io_.get_executor(), std::move(config)));
        client.start();
        docent::InterProcessMutex mutex{client, plan_.path_of(n)};
        for (;;) {
            docent::Lease lease = co_await mutex.async_acquire(asio::use_awaitable);
            ++counts_.granted;
            if (plan_.hold == 0us) {
                held_.push_back(std::move(lease));
                co_return;
            }
            co_await sleep_until(steady_clock::now() + plan_.hold);
            if (plan_.is_open(steady_clock::now())) ++counts_.turns;
        }
    }

    const Plan& plan_;
    Counts& counts_;
    asio::io_context io_{1};
    std::vector<std::unique_ptr<docent::Client>> clients_;
    std::vector<docent::Lease> held_;
};

/// A client takes at most four descriptors: a timer, a socket, a copy of it, and the socket of a further attempt to connect.
/// With TLS, it also takes a pair of sockets and a copy of one of them.
void allow_descriptors(const Plan& plan) {
    const int each = (plan.clients + plan.processes - 1) / plan.processes;
    const rlim_t wanted = static_cast<rlim_t>(each) * (plan.config.tls ? 7U : 4U) + descriptors_of_program;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) throw std::system_error(errno, std::generic_category(), "getrlimit");
    if (limit.rlim_cur >= wanted) return;
    if (limit.rlim_max < wanted) {
        throw std::runtime_error("a process may open " + std::to_string(limit.rlim_max) + " files, and needs " +
                                 std::to_string(wanted) + ": raise the limit (ulimit -Hn), or use more --processes");
    }
    limit.rlim_cur = wanted;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) throw std::system_error(errno, std::generic_category(), "setrlimit");
}

} // namespace

void run_holders(const Options& options) {
    const Plan plan{options};
    allow_descriptors(plan);
    const auto counts = docent::test::make_shared_by_processes<Counts>();
    in_processes(plan.processes, [&](int process) { Members(plan, *counts).run(process); });
    const double seconds = std::chrono::duration<double>(plan.length).count();
    std::cout << "peer=docent work=holders clients=" << plan.clients << " processes=" << plan.processes
              << " locks=" << plan.locks << " session_ms=" << plan.config.session_timeout.count()
              << " granted=" << counts->granted << " held=" << counts->held << " failed=" << counts->failed
              << " reconnects=" << counts->reconnects << " losses=" << counts->losses << " presumed=" << counts->presumed
              << " turns_per_s=" << static_cast<double>(counts->turns) / seconds
              << " kib_per_client=" << static_cast<double>(counts->kib) / plan.clients << std::endl;
}
