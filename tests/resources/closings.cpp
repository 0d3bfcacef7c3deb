// SPDX-License-Identifier: Apache-2.0

// Calls close() at each request of a client's life and at moments without requests, also beside continuous forks.

#include "forks.hpp"
#include "life.hpp"
#include "works.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>

namespace docent::resources {
namespace {

using namespace std::chrono_literals;
using testing::FaultProxy;

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
    bool connected; // if connected, the server can be told
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
    const std::size_t requests = close_at_step(report, server, place, {}, ways[0], not_counted);
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
        const std::size_t all_steps_twice = 2 * ways.size() * (requests + 1);
        for (std::size_t i = 0; i < at_least || (i < all_steps_twice && any_is_missing()); ++i) {
            close_at_step(report, server, place, i / ways.size() % (requests + 1), ways[i % ways.size()], steps);
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
