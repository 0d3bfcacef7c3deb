// SPDX-License-Identifier: Apache-2.0

// Calls close() at each request of a client's life and at moments without requests, also beside continuous forks.

#include "posix/spawn.hpp"
#include "works.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/lease.hpp>
#include <docent/testing/fault_proxy.hpp>
#include <docent/transaction.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::resources {
namespace {

using namespace std::chrono_literals;
using testing::FaultProxy;
using testing::Opcode;

/// A child of this process that runs nothing. It has copies of all descriptors, also sockets, as long as it lives.
class Copy {
public:
    Copy() {
        const pid_t parent = ::getpid();
        pid_ = posix::fork_child([parent](const sigset_t&) {
            posix::die_with(parent);
            ::pause(); // all signals but SIGKILL are blocked
        });
    }
    ~Copy() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;

private:
    pid_t pid_;
};

/// Forks copies of this process all the time, on its own thread. Some copies always exist.
class Forks {
public:
    int made() const { return made_; }

private:
    void run(const std::stop_token& stop) {
        constexpr std::size_t alive = 3;
        constexpr std::chrono::milliseconds pause{1}; // lets other threads work
        std::list<Copy> copies;
        while (!stop.stop_requested()) {
            std::this_thread::sleep_for(pause);
            copies.emplace_back();
            ++made_;
            if (copies.size() > alive) copies.pop_front();
        }
    }

    std::atomic<int> made_ = 0;
    std::jthread thread_{[this](const std::stop_token& stop) { run(stop); }};
};

constexpr std::size_t locks_of_lives = 64; // a session has ended before its lock is used again

struct Request {
    const char* name;
    testing::Opcode opcode;
};
constexpr std::array requests_of_a_life{
    Request{"create", Opcode::create},
    Request{"create", Opcode::create2},
    Request{"create", Opcode::create_container},
    Request{"children", Opcode::children},
    Request{"children", Opcode::children2},
    Request{"get", Opcode::get},
    Request{"exists", Opcode::exists},
    Request{"sync", Opcode::sync},
    Request{"multi", Opcode::multi},
    Request{"remove", Opcode::remove},
    Request{"set_watches", Opcode::set_watches},
    Request{"remove_watches", Opcode::remove_watches},
    Request{"ping", Opcode::ping},
};

/// The nodes that all lives use: persistent nodes, and a lock that another client holds.
class Place {
public:
    Place(Client& keeper, std::string path) : path_(std::move(path)) {
        for (const std::string& node : {held_by_another(), data(), markers()}) keep(keeper, node);
        for (std::size_t i = 0; i < locks_of_lives; ++i) keep(keeper, next_lock());
        held_ = InterProcessMutex(keeper, held_by_another()).acquire({.timeout = longest});
    }

    std::string held_by_another() const { return path_ + "/held"; }
    std::string data() const { return path_ + "/data"; }
    std::string markers() const { return path_ + "/markers"; }
    /// A lock for the next life. Its last user ended long ago.
    std::string next_lock() { return path_ + "/lock" + std::to_string(next_++ % locks_of_lives); }

private:
    std::string path_;
    Lease held_;
    std::size_t next_ = 0;
};

/// The life of one client: it locks, commits with the lock, reconnects, releases, locks again, and rests. At rest it holds one
/// lock and waits for another. The life ends early at a failure, for example after close().
class Life {
    /// Makes the handler of a further call. It counts its completions, and runs `then` unless the call has failed.
    template <typename Then> auto one_more(Then then) {
        const std::lock_guard lock(mutex_);
        int& completions = completions_.emplace_back(0);
        return [this, &completions, then = std::move(then)](const error_code& ec, auto&&... result) {
            {
                const std::lock_guard again(mutex_);
                ++completions;
            }
            if (ec) rest();
            else then(std::forward<decltype(result)>(result)...);
        };
    }

public:
    Life(FaultProxy& proxy, Place& place, std::chrono::milliseconds session_timeout = 1s)
        : proxy_(proxy), place_(place), lock_(place.next_lock()), client_(config_for(proxy.connect_string(), session_timeout)) {
    }
    ~Life() {
        on_request([](const char*, std::size_t) {}); // requests that are forwarded late are not counted
    }
    Life(const Life&) = delete;
    Life& operator=(const Life&) = delete;

    /// Calls `act` on the proxy's thread for each request that was sent, with its number from 0 on.
    void on_request(const std::function<void(const char* request, std::size_t number)>& act) {
        for (const Request& request : requests_of_a_life) {
            proxy_.on_forwarded(request.opcode, [sent = requests_, act, name = request.name] { act(name, (*sent)++); });
        }
    }

    void begin() {
        client_.start();
        InterProcessMutex(client_, place_.held_by_another()).async_acquire(one_more([](const Lease&) {}));
        acquire(&Life::commit);
    }

    /// Schedules a close. May be called on any thread.
    void close() {
        client_.async_close(one_more([] {}));
    }

    Client& client() { return client_; }
    /// True when the life is at rest or has ended.
    bool at_rest() const { return at_rest_; }

    bool each_completed_once() const {
        const std::lock_guard lock(mutex_);
        return std::all_of(completions_.begin(), completions_.end(), [](int times) { return times == 1; });
    }

    bool owns() const {
        const std::lock_guard lock(mutex_);
        return lease_.owns();
    }

    std::size_t requests() const { return *requests_; }

private:
    void acquire(void (Life::*then)()) {
        InterProcessMutex(client_, lock_).async_acquire(one_more([this, then](Lease lease) {
            {
                const std::lock_guard lock(mutex_);
                lease_ = std::move(lease);
            }
            (this->*then)();
        }));
    }

    void commit() {
        Transaction changes;
        {
            const std::lock_guard lock(mutex_);
            changes.guard(lease_).set_data(place_.data(), "x").exactly_once(place_.markers());
        }
        client_.async_commit(std::move(changes), one_more([this](const TransactionResult&) { connect_again(); }));
    }

    void connect_again() {
        proxy_.cut();
        client_.async_sync("/", one_more([this](auto&&...) { release(); }));
    }

    void release() {
        auto handler = one_more([this] { acquire(&Life::rest); });
        const std::lock_guard lock(mutex_);
        lease_.async_release(std::move(handler));
    }

    void rest() { at_rest_ = true; }

    FaultProxy& proxy_;
    const Place& place_;
    const std::string lock_;
    const std::shared_ptr<std::atomic<std::size_t>> requests_ = std::make_shared<std::atomic<std::size_t>>(0);
    std::atomic<bool> at_rest_ = false;

    mutable std::mutex mutex_;    // protects the next two
    std::deque<int> completions_; // the completions of each call
    Lease lease_;

    Client client_;
};

// One second for answers, 4.5 s of the C client, and the rest for a busy machine.
constexpr auto longest_close = 30s;

void close_in_time(Report& report, Client& client, const std::string& when) {
    const auto begin = std::chrono::steady_clock::now();
    client.close();
    report.check(std::chrono::steady_clock::now() - begin < longest_close, "close() ends, " + when);
}

/// The fault of the connection during the close.
struct Beside {
    const char* name;
    void (*happens)(FaultProxy&);
};
constexpr std::array ways{
    Beside{"it is answered", [](FaultProxy&) {}},
    Beside{"its connection breaks", [](FaultProxy& proxy) { proxy.cut(); }},
    Beside{"no server is there any more",
           [](FaultProxy& proxy) {
               proxy.refuse();
               proxy.cut();
           }},
};

using Steps = std::map<std::string, int>;

/// Runs a life that closes when the request of this number has been sent; returns the number of requests that were sent.
std::size_t close_at_step(Report& report, const testing::TestingServer& server, Place& place, std::optional<std::size_t> step,
                          const Beside& way, Steps& steps) {
    FaultProxy proxy(server.port());
    std::atomic<bool> closing = false;
    Life life(proxy, place);
    life.on_request([&](const char* request, std::size_t number) {
        if (number != step) return;
        way.happens(proxy);
        life.close(); // at this point the answer cannot have arrived yet
        ++steps[request];
        closing = true;
    });
    life.begin();
    report.check(comes_true([&] { return closing || life.at_rest(); }), "a client lives as long as it is let");
    close_in_time(report, life.client(), std::string("while ") + way.name);
    report.check(comes_true([&] { return life.each_completed_once(); }), "each call completes once");
    report.check(!life.owns(), "no lease outlives its client");
    return life.requests();
}

/// Moments at which no request is under way.
struct Moment {
    const char* name;
    bool connected; // the client can tell the server that it closes
    std::chrono::milliseconds session_timeout;
    bool (*reach)(FaultProxy&, Life&);
};

bool rests(Life& life) {
    life.begin();
    return comes_true([&] { return life.at_rest(); });
}

bool loses_connection(Life& life) {
    return comes_true([&] { return life.client().session().state != SessionState::connected; });
}

constexpr std::array moments_in_peace{
    Moment{"before start()", false, 1s, [](FaultProxy&, Life&) { return true; }},
    Moment{"before it is connected", false, 1s,
           [](FaultProxy&, Life& life) {
               life.begin();
               return true;
           }},
    Moment{"while no server is there", false, 1s,
           [](FaultProxy& proxy, Life& life) {
               proxy.refuse();
               life.begin();
               return comes_true([&] { return !life.client().last_connect_error().empty(); });
           }},
    Moment{"while a server does not answer", false, 1s,
           [](FaultProxy& proxy, Life& life) {
               proxy.black_hole();
               life.begin();
               return comes_true([&] { return proxy.connections() > 0; });
           }},
    Moment{"while it holds and waits", true, 60s, [](FaultProxy&, Life& life) { return rests(life) && life.owns(); }},
    Moment{"while it connects again", false, 1s,
           [](FaultProxy& proxy, Life& life) {
               if (!rests(life)) return false;
               proxy.refuse();
               proxy.cut();
               return loses_connection(life);
           }},
    Moment{"when silence has lost its session", false, 1s,
           [](FaultProxy& proxy, Life& life) {
               if (!rests(life)) return false;
               proxy.black_hole();
               return loses_connection(life) && comes_true([&] { return !life.owns(); });
           }},
};

/// Returns true if only the place's lock and its watch are left.
bool only_place_is_left(const testing::TestingServer& server) {
    return server.metric("zk_ephemerals_count") == 1 && server.metric("zk_watch_count") == 1;
}

void await_others(Report& report, const testing::TestingServer& server) {
    report.check(comes_true([&] { return only_place_is_left(server); }), "sessions that could not be closed expire");
}

void close_at_moment(Report& report, const testing::TestingServer& server, Place& place, const Moment& moment) {
    if (moment.connected) await_others(report, server);
    FaultProxy proxy(server.port());
    Life life(proxy, place, moment.session_timeout);
    report.check(moment.reach(proxy, life), std::string("a client comes to: ") + moment.name);
    const Copy copy; // the copy keeps the sockets open
    close_in_time(report, life.client(), moment.name);
    report.check(comes_true([&] { return life.each_completed_once(); }),
                 std::string("each call completes once, ") + moment.name);
    report.check(!life.owns(), std::string("no lease outlives its client, ") + moment.name);
    if (!moment.connected) return;
    report.check(test::eventually([&] { return only_place_is_left(server); }),
                 std::string("the server ends a session that is closed, ") + moment.name);
}

} // namespace

/// Closes that many clients, and more until each wanted kind of request was under way once: the number of a request in a life
/// depends on timing.
void count_closings(Report& report, const testing::TestingServer& server, int closings) {
    constexpr std::array wanted{"create", "children", "multi", "remove", "sync"};
    Client keeper{config_for(server.connect_string())};
    keeper.start();
    Place place(keeper, "/closings");
    Steps steps;
    Steps not_counted;
    std::size_t requests = 0; // a life that stands still for a while makes fewer
    for (int i = 0; i < 3; ++i) requests = std::max(requests, close_at_step(report, server, place, {}, ways[0], not_counted));
    const std::size_t steps_of_a_life = requests + requests / 2 + 1; // heartbeats of a slow life come between the others
    for (std::size_t i = 0; i < requests; i += 4)
        close_at_step(report, server, place, i, ways[i / 4 % ways.size()], not_counted);
    await_others(report, server);
    const Usage before = usage(server);
    int forked = 0;
    {
        const Forks forks;
        for (const Moment& moment : moments_in_peace) close_at_moment(report, server, place, moment);
        const auto any_is_missing = [&] {
            return std::any_of(wanted.begin(), wanted.end(), [&](const char* request) { return steps.count(request) == 0; });
        };
        const auto at_least = static_cast<std::size_t>(closings);
        const std::size_t all_steps_twice = 2 * ways.size() * steps_of_a_life;
        for (std::size_t i = 0; i < at_least || (i < all_steps_twice && any_is_missing()); ++i) {
            close_at_step(report, server, place, i / ways.size() % steps_of_a_life, ways[i % ways.size()], steps);
        }
        forked = forks.made();
    }
    std::printf("closed while this was under way, beside %d forks:", forked);
    for (const auto& [request, times] : steps) std::printf(" %s %d", request.c_str(), times);
    std::printf("\n");
    for (const char* request : wanted) {
        report.check(steps.count(request) > 0, std::string("a client is closed during ") + request);
    }
    report.check(forked > closings, "there were forks all the time");
    report.compare(std::to_string(closings) + " clients closed at any request, " + std::to_string(moments_in_peace.size()) +
                       " in peace, beside forks",
                   server, before);
}

} // namespace docent::resources
