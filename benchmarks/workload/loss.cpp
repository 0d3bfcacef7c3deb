// SPDX-License-Identifier: Apache-2.0
#include "works.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <iostream>
#include <random>
#include <stop_token>
#include <thread>

#include <signal.h>

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr auto lost_path = "/benchmark/loss";

/// Stops a process with SIGSTOP. The destructor sends SIGCONT, also after an exception.
class StoppedProcess {
public:
    explicit StoppedProcess(int pid) : pid_(pid) {
        if (::kill(pid_, SIGSTOP) != 0) throw std::runtime_error("cannot stop the process " + std::to_string(pid_));
    }
    ~StoppedProcess() { ::kill(pid_, SIGCONT); }
    StoppedProcess(const StoppedProcess&) = delete;
    StoppedProcess& operator=(const StoppedProcess&) = delete;

private:
    int pid_;
};

/// The time of the first call of is_now(), on any thread.
class Moment {
public:
    void is_now() {
        if (!told_.exchange(true)) when_.set_value(steady_clock::now());
    }
    steady_clock::time_point wait(milliseconds longest, const char* what) {
        auto future = when_.get_future();
        if (future.wait_for(longest) != std::future_status::ready)
            throw std::runtime_error(std::string(what) + " did not happen");
        return future.get();
    }

private:
    std::atomic<bool> told_{false};
    std::promise<steady_clock::time_point> when_;
};

milliseconds random_pause(milliseconds most) {
    std::random_device seed;
    return milliseconds{std::uniform_int_distribution<std::int64_t>(0, most.count())(seed)};
}

} // namespace

void run_loss(const Options& options) {
    const milliseconds session{options.number("session-ms")};
    docent::ClientConfig of_holder = client_config(options);
    docent::ClientConfig of_next = of_holder;
    of_holder.session_timeout = session;
    of_next.connect_string = options.text("direct");
    docent::Client holder{of_holder};
    docent::Client next{of_next};
    holder.start();
    next.start();
    docent::InterProcessMutex held{holder, lost_path};
    docent::InterProcessMutex wanted{next, lost_path};

    Moment suspended;
    Moment lost;
    Moment granted;
    const docent::Lease lease = held.acquire();
    const auto subscription = holder.listen([&](const docent::SessionEvent& event) {
        if (event.state == docent::SessionState::suspended) suspended.is_now();
    });
    const std::stop_callback on_lost(lease.stop_token(), [&] { lost.is_now(); });
    auto waiting = std::async(std::launch::async, [&] {
        const docent::Lease got = wanted.acquire();
        granted.is_now();
    });

    std::this_thread::sleep_for(1s + random_pause(session / 3));
    const auto begin = steady_clock::now();
    const StoppedProcess black_hole(options.number("proxy-pid"));
    const auto since = [&](auto when) { return std::chrono::duration_cast<milliseconds>(when - begin).count(); };
    const auto lost_ms = since(lost.wait(session * 4, "the loss"));
    const auto granted_ms = since(granted.wait(session * 2, "the next grant"));
    const auto suspended_ms = since(suspended.wait(0ms, "the suspension"));
    std::cout << "peer=docent work=loss session_ms=" << session.count() << " suspended_ms=" << suspended_ms
              << " lost_ms=" << lost_ms << " next_granted_ms=" << granted_ms << " margin_ms=" << granted_ms - lost_ms
              << std::endl;
}
