// SPDX-License-Identifier: Apache-2.0

// Measures how long a holder knows of a loss before the servers give its lock away. The margin is the time from the last yes of
// owns(), or from the last sign of life of a command of docent lock that ignores SIGTERM, until a client outside the fault sees
// the lock's node disappear. The margin must be above zero; the smallest is printed. DOCENT_MARGIN_ROUNDS sets the number of
// margins of each kind of holder (tests/README.md).

#include "clients.hpp"
#include "docent_process.hpp"
#include "eventually.hpp"
#include "seeds.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/testing/fault_proxy.hpp>
#include <docent/testing/testing_cluster.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::testing::FaultProxy;
using docent::testing::TestingCluster;
using docent::testing::TestingServer;
using docent::testing::Traffic;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto tick = 1'000ms;
constexpr auto longest_round = 60s;
constexpr auto longest_start = 1min; // many handshakes of TLS on a busy machine

/// A lock, and the servers and the session with which it is to be held.
struct Task {
    std::string lock;
    std::string servers;
    milliseconds timeout;
    Heartbeats heartbeats;
    std::optional<TlsConfig> tls = std::nullopt;
};

class Holder {
public:
    virtual ~Holder() = default;
    virtual void wait_until_held() = 0;
    virtual bool holds() = 0;
    virtual std::string messages() const { return {}; }
};

class LeaseHolder final : public Holder {
public:
    explicit LeaseHolder(const Task& task)
        : client_({.connect_string = task.servers,
                   .session_timeout = task.timeout,
                   .heartbeats = task.heartbeats,
                   .connection_timeout = longest_start,
                   .tls = task.tls,
                   .ensemble_tracking = EnsembleTracking::off}) {
        client_.start();
        lease_ = InterProcessMutex(client_, task.lock).acquire();
        EXPECT_EQ(client_.negotiated_timeout(), task.timeout);
    }
    void wait_until_held() override {}
    bool holds() override { return lease_.owns(); }

private:
    Client client_;
    Lease lease_;
};

/// Measures the command, which runs until it is killed.
class CommandHolder final : public Holder {
public:
    explicit CommandHolder(const Task& task) : docent_({.words = words(task, file()), .connect = task.servers}) {}
    void wait_until_held() override {
        std::string text;
        const auto runs = [&] { return (text = test::read_file(file())).ends_with('\n'); };
        const auto runs_or_has_lost_it = [&] { return runs() || !docent_.running(); };
        EXPECT_TRUE(test::eventually(runs_or_has_lost_it, longest_start + 10s)) << docent_.errors();
        if (runs()) command_ = static_cast<pid_t>(std::stol(text));
    }
    bool holds() override { return command_ != 0 && test::is_alive(command_); }
    std::string messages() const override { return docent_.errors(); }

private:
    static std::vector<std::string> words(const Task& task, const std::string& file) {
        const std::string timeout = std::to_string(task.timeout.count()) + "ms";
        const std::string wait = std::to_string(longest_start / 1s) + "s";
        std::vector<std::string> all{"lock", task.lock, "--wait", wait, "--session-timeout", timeout};
        if (task.heartbeats == Heartbeats::relaxed) all.emplace_back("--relaxed-heartbeats");
        if (task.tls) all.insert(all.end(), {"--tls-ca", task.tls->ca_file, "--tls-cert", task.tls->certificate_file});
        const std::string program = "trap '' TERM; echo $$ > " + file + "; exec sleep 1000";
        all.insert(all.end(), {"--", "sh", "-c", program});
        return all;
    }
    std::string file() const { return (folder_ / "pid").string(); }

    test::Folder folder_;
    test::DocentProcess docent_;
    pid_t command_ = 0;
};

enum class Kind { lease, command };
constexpr auto all_heartbeats = {Heartbeats::frequent, Heartbeats::relaxed};

std::unique_ptr<Holder> make_holder(Kind kind, const Task& task) {
    if (kind == Kind::lease) return std::make_unique<LeaseHolder>(task);
    return std::make_unique<CommandHolder>(task);
}

struct Fault {
    std::function<void()> strike;
    steady_clock::time_point due = {};
    bool struck = false;
};

/// A holder, and the fault by which it will lose its lock.
class Trial {
public:
    Trial(Kind kind, const Task& task, Fault& its_fault)
        : what_(std::string(kind == Kind::lease ? "lease" : "docent lock") +
                (task.heartbeats == Heartbeats::relaxed ? ", relaxed" : "") + (task.tls ? ", TLS" : "") + ", T of " +
                std::to_string(task.timeout / tick) + " ticks"),
          lock_(task.lock), holder_(make_holder(kind, task)), fault_(&its_fault) {}

    void wait_until_held() { holder_->wait_until_held(); }
    /// Returns false if the lock is lost already, because the machine was stopped.
    bool watch_node(Client& observer) {
        error_code ec; // a server also removes the path of a lock that was lost
        const auto nodes = observer.children(lock_, ec).names;
        EXPECT_TRUE(!ec || ec == server_error::no_node) << ec.message();
        if (nodes.size() != 1) return false;
        auto watched = observer.exists_watched(lock_ + '/' + nodes.front());
        watch_ = std::move(watched.watch);
        std::promise<steady_clock::time_point> deleted;
        deleted_ = deleted.get_future();
        watch_.async_wait([deleted = std::move(deleted)](error_code ec, const WatchEvent& event) mutable {
            const auto now = steady_clock::now();
            EXPECT_TRUE(ec || event.type == WatchEventType::deleted) << to_string(event.type);
            deleted.set_value(now);
        });
        return watched.value.has_value();
    }
    bool still_holds() {
        const auto asked = steady_clock::now();
        if (!holder_->holds()) return false;
        last_yes_ = asked;
        return true;
    }
    /// Waits for the end of the hold and returns the margin; nothing if the lock was lost before the fault.
    std::optional<milliseconds> margin() {
        if (deleted_.wait_for(longest_round) != std::future_status::ready) {
            ADD_FAILURE() << what_ << ": the node stays";
            return std::nullopt;
        }
        if (last_yes_ < fault_->due) return std::nullopt;
        const auto deleted = deleted_.get();
        EXPECT_LT(last_yes_, deleted) << what_ << ": deleted " << (deleted - fault_->due) / 1ms << " ms after the fault; "
                                      << holder_->messages();
        return std::chrono::duration_cast<milliseconds>(deleted - last_yes_);
    }
    const std::string& what() const { return what_; }

private:
    std::string what_;
    std::string lock_;
    std::unique_ptr<Holder> holder_;
    Fault* fault_;
    Watch watch_;
    std::future<steady_clock::time_point> deleted_;
    steady_clock::time_point last_yes_ = {};
};

/// The measured margins by kind of holder.
class Margins {
public:
    /// `wanted`: of each kind of holder.
    explicit Margins(std::uint64_t wanted) : wanted_(wanted), rounds_left_(3 * wanted) {}

    /// Begins another round if margins are missing. A trial has none if its lock was lost before the fault.
    bool begin_round() { return missing() > 0 && rounds_left_-- > 0; }
    /// The number of margins that the kind of holder with the fewest still needs.
    std::uint64_t missing() const {
        std::uint64_t fewest = measured_.empty() ? 0 : wanted_;
        for (const auto& [what, margins] : measured_) fewest = std::min<std::uint64_t>(fewest, margins.size());
        return wanted_ - fewest;
    }
    void expect(const std::string& what) { measured_[what]; }
    void add(const std::string& what, milliseconds margin) { measured_[what].push_back(margin); }
    void print(const std::string& where) const {
        EXPECT_FALSE(measured_.empty());
        EXPECT_EQ(missing(), 0U) << "too many locks were lost before their fault: the machine stops too often";
        for (const auto& [what, margins] : measured_) {
            if (margins.empty()) continue;
            std::cout << "[ margin   ] " << where << ", " << what << ": "
                      << std::min_element(margins.begin(), margins.end())->count() << " ms at least, of " << margins.size()
                      << '\n';
        }
    }

private:
    std::uint64_t wanted_;
    std::uint64_t rounds_left_;
    std::map<std::string, std::vector<milliseconds>> measured_;
};

/// Starts each fault at a random time within a tick, and adds the margins.
void measure(Client& observer, std::vector<Trial>& trials, std::deque<Fault>& faults, std::mt19937& random, Margins& margins) {
    for (Trial& trial : trials) {
        margins.expect(trial.what());
        trial.wait_until_held();
    }
    std::erase_if(trials, [&](Trial& trial) { return !trial.watch_node(observer); });
    const auto begin = steady_clock::now();
    std::uniform_int_distribution<std::int64_t> phase(0, tick / 1ms);
    for (Fault& fault : faults) fault.due = begin + milliseconds{phase(random)};

    std::vector<Trial*> holding;
    for (Trial& trial : trials) holding.push_back(&trial);
    while (!holding.empty()) {
        const auto now = steady_clock::now();
        if (now - begin > longest_round) {
            ADD_FAILURE() << holding.front()->what() << ": it never loses the lock";
            break;
        }
        for (Fault& fault : faults) {
            if (!fault.struck && now >= fault.due) fault.strike();
            fault.struck = now >= fault.due;
        }
        std::erase_if(holding, [](Trial* trial) { return !trial->still_holds(); });
        std::this_thread::sleep_for(1ms);
    }
    for (Trial& trial : trials) {
        if (const auto margin = trial.margin()) margins.add(trial.what(), *margin);
    }
}

/// Returns the number of margins to measure for each kind of holder.
std::uint64_t wanted_margins(std::uint64_t usual) {
    return number_from("DOCENT_MARGIN_ROUNDS", usual);
}

std::string next_lock() {
    static int number = 0;
    return "/lock-" + std::to_string(++number);
}

ClientConfig observer_config(const TestingServer& server) {
    return {
        .connect_string = server.connect_string(), .session_timeout = 20 * tick, .ensemble_tracking = EnsembleTracking::off};
}

/// A cluster with a separate link from each server to each possible leader. Clients may not read the list of its servers:
/// otherwise docent lock would connect to another server and keep the lock.
class LinkedCluster {
public:
    LinkedCluster() {
        ClientConfig config = observer_config(cluster_.server(0));
        config.auth = {{"digest", "super:docent"}};
        Client administrator = started(config);
        administrator.set_acl("/zookeeper/config", {{.scheme = "digest", .id = "nobody:BcRYbby5EpEn6j3aIhSzhLGSXJM="}});
    }
    TestingCluster& servers() { return cluster_; }
    FaultProxy& link(std::size_t from, std::size_t to) { return *links_.at({from, to}); }

private:
    std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<FaultProxy>> links_;
    TestingCluster cluster_{
        {.tick_time = tick,
         .properties = {{"reconfigEnabled", "false"}},
         .java_options = {"-Dzookeeper.DigestAuthenticationProvider.superDigest=super:BcRYbby5EpEn6j3aIhSzhLGSXJM="},
         .leader_port = [this](std::size_t from, std::size_t to, std::uint16_t port) {
             return (links_[{from, to}] = std::make_unique<FaultProxy>(port, Traffic::bytes))->port();
         }}};
};

/// All holders of a round are cut off at once. Their session timeouts are 2, 3 and 5 ticks.
TEST(LossMargin, BehindAFollowerThatIsCutOffFromItsLeader) {
    LinkedCluster cluster;
    std::mt19937 random(std::random_device{}());
    Margins margins(wanted_margins(2));
    for (std::size_t round = 0; margins.begin_round(); ++round) {
        cluster.servers().wait_for_quorum();
        const std::size_t leader = cluster.servers().leader().value();
        const std::size_t follower = (leader + 1 + round % 2) % cluster.servers().size();
        FaultProxy& link = cluster.link(follower, leader);
        Client observer = started(observer_config(cluster.servers().server(leader)));
        observer.wait_connected();
        std::deque<Fault> faults{{.strike = [&] { link.black_hole(); }}};
        std::vector<Trial> trials;
        for (const Kind kind : {Kind::lease, Kind::command}) {
            for (const Heartbeats heartbeats : all_heartbeats) {
                for (const int ticks : {2, 3, 5}) {
                    const Task task{next_lock(), cluster.servers().server(follower).connect_string(), ticks * tick, heartbeats};
                    trials.emplace_back(kind, task, faults.front());
                }
            }
        }
        measure(observer, trials, faults, random, margins);
        const std::size_t connections = link.connections();
        link.heal();
        link.cut(); // the follower starts again
        EXPECT_TRUE(test::eventually([&] { return link.connections() > connections; }));
    }
    margins.print("follower cut off from its leader");
}

/// Each holder has its own proxy to the server. Each proxy drops everything from a different time on.
void measure_behind_a_black_hole(bool with_tls) {
    constexpr std::uint64_t at_once = 5; // holders of each kind, for each kind of heartbeats
    TestingServer server({.tick_time = tick, .tls = with_tls});
    const std::string address = with_tls ? server.tls_connect_string() : server.connect_string();
    const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    const auto tls = with_tls ? std::optional(server.tls_config()) : std::nullopt;
    Client observer = started(observer_config(server));
    observer.wait_connected();
    std::mt19937 random(std::random_device{}());
    Margins margins(wanted_margins(at_once));
    while (margins.begin_round()) {
        std::deque<FaultProxy> ways;
        std::deque<Fault> faults;
        std::vector<Trial> trials;
        for (const Kind kind : {Kind::lease, Kind::command}) {
            for (const Heartbeats heartbeats : all_heartbeats) {
                for (std::uint64_t i = 0; i < std::min(at_once, margins.missing()); ++i) {
                    FaultProxy& way = ways.emplace_back(port, Traffic::bytes);
                    faults.push_back({.strike = [&way] { way.black_hole(); }});
                    const Task task{next_lock(), way.connect_string(), 2 * tick, heartbeats, tls};
                    trials.emplace_back(kind, task, faults.back());
                }
            }
        }
        measure(observer, trials, faults, random, margins);
        for (FaultProxy& way : ways) way.heal(); // lets the clients end their sessions
    }
    margins.print("black hole before one server");
}

TEST(LossMargin, BehindABlackHole) {
    measure_behind_a_black_hole(false);
}

TEST(LossMargin, BehindABlackHoleWithTls) {
    measure_behind_a_black_hole(true);
}

} // namespace
} // namespace docent
