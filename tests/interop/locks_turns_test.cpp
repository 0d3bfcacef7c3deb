// SPDX-License-Identifier: Apache-2.0

// Many turns at one lock, of docent's and of Curator's together. Whoever holds the lock writes into one file that it comes and
// that it goes; what is appended is in the order in which it happened.

#include "integration/cli/docent_process.hpp"
#include "locks_fixture.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/inter_process_read_write_lock.hpp>

#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <thread>

namespace docent::test {
namespace {

using Sides = std::vector<std::string>; // mutex, read or write: one for each turn

constexpr std::size_t turns = 25;
constexpr std::size_t java_threads = 2; // of each of two peers
constexpr std::size_t docent_clients = 4;
constexpr std::size_t everybody = 2 * java_threads + docent_clients;

class LocksTurns : public LocksFixture {
protected:
    JavaPeer second_peer;
    Folder folder;
    const std::string file = folder / "turns";

    /// Each side of a lock, by its name.
    using Locks = std::function<InterProcessMutex&(const std::string& side)>;

    void take_turns(Client& own, const Sides& sides, const Locks& locks) const {
        for (const auto& side : sides) {
            const Lease lease = locks(side).acquire();
            append("enter " + side);
            own.exists("/lock"); // it takes a while
            append("leave " + side);
        }
    }
    void append(const std::string& line) const { std::ofstream(file, std::ios::app) << line + '\n'; }

    void begin_turns(JavaPeer& peer, const std::string& thread, const Sides& sides) const {
        Words words{"client=curator", "path=/lock", "file=" + file};
        for (const auto& side : sides) words.push_back("side=" + side);
        peer.send(thread, "take-turns", words);
    }

    /// Lets everybody come while `gate` is held, then waits until they have had their turns.
    void run(Lease gate, const std::function<Sides(std::size_t number)>& sides_of,
             const std::function<void(Client& own, const Sides& sides)>& take) {
        EXPECT_EQ(second_peer.call("open", {"client=curator", "connect=" + server.connect_string()}).error, "");
        std::size_t number = 0;
        const std::array<JavaPeer*, 2> peers{&java, &second_peer};
        for (JavaPeer* peer : peers) {
            for (std::size_t t = 0; t < java_threads; ++t) begin_turns(*peer, std::to_string(t), sides_of(number++));
        }
        std::vector<std::jthread> threads;
        for (std::size_t c = 0; c < docent_clients; ++c) {
            threads.emplace_back([&, sides = sides_of(number++)] { take(*connected({}), sides); });
        }
        EXPECT_TRUE(queue_reaches(1 + everybody));
        EXPECT_EQ(read_file(file), "") << "the gate is shut";
        gate.release();
        threads.clear();
        for (JavaPeer* peer : peers) {
            for (std::size_t t = 0; t < java_threads; ++t) EXPECT_EQ(peer->await(std::to_string(t)).error, "");
        }
    }

    /// Nobody is inside beside one who excludes it, and all turns were taken.
    void expect_no_overlap(const std::map<std::string, std::size_t>& turns_by_side) const {
        std::map<std::string, std::size_t> entered, inside;
        for (const auto& line : lines_of(read_file(file))) {
            std::istringstream words(line);
            std::string what, side;
            words >> what >> side;
            ASSERT_TRUE(what == "enter" || (what == "leave" && inside[side] > 0)) << line;
            if (what == "leave") {
                --inside[side];
                continue;
            }
            ++entered[side];
            const std::size_t excluded = inside["write"] + inside["mutex"] + (side == "read" ? 0 : inside["read"]);
            EXPECT_EQ(excluded, 0U) << "beside a " << side << ", its turn " << entered[side];
            ++inside[side];
        }
        EXPECT_EQ(entered, turns_by_side);
    }
};

TEST_F(LocksTurns, AtAMutex) {
    InterProcessMutex gate(*client, "/lock");
    run(
        gate.acquire(), [](std::size_t) { return Sides(turns, "mutex"); },
        [this](Client& own, const Sides& sides) {
            InterProcessMutex mutex(own, "/lock");
            take_turns(own, sides, [&](const std::string&) -> InterProcessMutex& { return mutex; });
        });
    expect_no_overlap({{"mutex", everybody * turns}});
}

/// One turn in five is a write.
TEST_F(LocksTurns, AtAReadWriteLock) {
    const auto sides_of = [](std::size_t number) {
        Sides sides;
        for (std::size_t turn = 0; turn < turns; ++turn) sides.emplace_back((turn + number) % 5 == 0 ? "write" : "read");
        return sides;
    };
    InterProcessReadWriteLock gate(*client, "/lock");
    run(gate.write_lock().acquire(), sides_of, [this](Client& own, const Sides& sides) {
        InterProcessReadWriteLock lock(own, "/lock");
        take_turns(own, sides, [&](const std::string& side) -> InterProcessMutex& {
            return side == "write" ? lock.write_lock() : lock.read_lock();
        });
    });
    expect_no_overlap({{"read", everybody * turns * 4 / 5}, {"write", everybody * turns / 5}});
}

} // namespace
} // namespace docent::test
