// SPDX-License-Identifier: Apache-2.0

// Threads of two processes with docent's kept nodes and local hand-over, and threads of Curator's, share one mutex and one
// read/write lock. Each thread writes down when it is inside.

#include "folder.hpp"
#include "integration/cli/docent_process.hpp"
#include "locks_fixture.hpp"
#include "turn_log.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/inter_process_read_write_lock.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace docent::test {
namespace {

using namespace std::chrono_literals;

class KeptTurns : public LocksFixture {
protected:
    static constexpr std::size_t threads_each = 3;
    static constexpr std::size_t turns = 30; // turns of each of Curator's threads
    const std::vector<LockOptions> ways{
        {.keep_for = 1h}, {.max_local_handovers = 5}, {.keep_for = 1h, .max_local_handovers = 5}};
    Folder folder;
    const std::string file = folder / "turns";
    std::unique_ptr<Client> second;
    std::atomic<bool> enough{false};
    std::atomic<std::uint64_t> most_holds{0}; // the most holds of one node
    bool is_to_share = true;
    std::chrono::steady_clock::time_point give_up;
    decltype(TurnReport::turns) theirs;

    void SetUp() override {
        LocksFixture::SetUp();
        second = connected({});
    }
    void begin_curators(const std::function<Turns(std::size_t)>& turns_of) {
        for (std::size_t number = 0; number < threads_each; ++number) {
            const std::string name = "curator-" + std::to_string(number);
            const Turns all = turns_of(number);
            for (const Turn& turn : all) ++theirs[{name, turn.side}];
            java.send(name, "take-turns",
                      {"client=curator", "path=/lock", "file=" + file, "name=" + name, "turns=" + to_text(all)});
        }
    }
    void await_curators() {
        for (std::size_t number = 0; number < threads_each; ++number) {
            EXPECT_EQ(java.await("curator-" + std::to_string(number)).error, "");
        }
        enough = true;
    }
    /// Docent's threads need a while to share a node on a busy machine, so they have until `give_up`.
    bool goes_on() const { return !enough || (is_to_share && most_holds <= 1 && std::chrono::steady_clock::now() < give_up); }
    /// Docent's threads continue until Curator's have had all their turns and, if asked for, docent's threads have shared a
    /// node.
    void take_turns(const TurnLog& log, const std::string& name,
                    const std::function<std::pair<std::string, Lease>(std::size_t)>& acquire) {
        for (std::size_t turn = 0; goes_on(); ++turn) {
            auto [side, lease] = acquire(turn);
            log.append("enter " + side + " " + name);
            EXPECT_TRUE(lease.owns());
            for (auto most = most_holds.load();
                 most < lease.hold_number() && !most_holds.compare_exchange_weak(most, lease.hold_number());) {
            }
            log.append("leave " + side + " " + name);
        }
    }
    /// Runs threads of both processes, each with its lock, beside Curator's. `enter(lock, turn, number of the thread)` returns
    /// the side on which it entered.
    template <typename Lock, typename Enter>
    void meet(const LockOptions& way, const Enter& enter, const std::function<Turns(std::size_t)>& turns_of) {
        SCOPED_TRACE("keep_for " + std::to_string(way.keep_for.count()) + ", handovers " +
                     std::to_string(way.max_local_handovers));
        const TurnLog log(file);
        enough = false;
        most_holds = 0;
        give_up = std::chrono::steady_clock::now() + std::chrono::seconds{60};
        std::vector<std::thread> threads;
        std::vector<std::unique_ptr<Lock>> locks;
        for (Client* of : {client.get(), second.get()}) {
            auto& lock = *locks.emplace_back(std::make_unique<Lock>(*of, "/lock", way));
            for (std::size_t number = 0; number < threads_each; ++number) {
                const std::string name = "docent-" + std::to_string(threads.size());
                threads.emplace_back(
                    [&, name, number] { take_turns(log, name, [&](std::size_t turn) { return enter(lock, turn, number); }); });
            }
        }
        begin_curators(turns_of);
        await_curators();
        for (auto& thread : threads) thread.join();
        check();
    }
    /// Expects that no excluded contenders were inside together, and that all of Curator's turns were taken.
    void check() {
        const TurnReport report = check_turns(lines_of(read_file(file)), 1);
        EXPECT_TRUE(report.wrong.empty()) << report.wrong.size() << " lines, first: " << report.wrong.front();
        for (const auto& [who, count] : theirs) EXPECT_EQ(report.turns.at(who), count) << who.first << " " << who.second;
    }
};

TEST_F(KeptTurns, AtAMutex) {
    for (const LockOptions& way : ways) {
        const auto enter = [](InterProcessMutex& mutex, std::size_t, std::size_t) {
            return std::pair{std::string("mutex"), mutex.acquire()};
        };
        is_to_share = way.max_local_handovers > 0;
        meet<InterProcessMutex>(way, enter, [](std::size_t) { return Turns(turns, {"mutex"}); });
        EXPECT_TRUE(way.max_local_handovers == 0 || most_holds > 1) << "nothing was handed on";
    }
}

TEST_F(KeptTurns, AtAReadWriteLock) {
    for (const LockOptions& way : ways) {
        const auto enter = [](InterProcessReadWriteLock& lock, std::size_t turn, std::size_t number) {
            const bool writes = (turn + number) % 20 == 19;
            return std::pair{std::string(writes ? "write" : "read"),
                             writes ? lock.write_lock().acquire() : lock.read_lock().acquire()};
        };
        meet<InterProcessReadWriteLock>(way, enter, [](std::size_t number) {
            Turns all;
            for (std::size_t turn = 0; turn < turns; ++turn) all.push_back({(turn + number) % 3 == 0 ? "write" : "read"});
            return all;
        });
        EXPECT_GT(most_holds, 1U) << "no readers shared a node";
    }
}

} // namespace
} // namespace docent::test
