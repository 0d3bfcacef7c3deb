// SPDX-License-Identifier: Apache-2.0
// The requests of docent top at a thousand locks: no more than its help says. They are counted in a proxy.
#include "cli_fixture.hpp"
#include "view/many_locks.hpp"
#include "view/real_terminal.hpp"

#include <docent/testing/fault_proxy.hpp>

namespace docent::test {
namespace {

using docent::testing::Opcode;

constexpr std::size_t thousand = 1000;
constexpr std::size_t watched_nodes = thousand + 2; // the locks, their parent, and the ensemble's configuration

class TopCostTest : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        locks.build();
        locks.come("ann");
        locks.come("bob");
        locks.come("cid"); // labels are not read unless they are on the screen
    }
    std::size_t lists() const { return proxy.requests(Opcode::children2) + proxy.requests(Opcode::children); }
    std::size_t reads() const { return proxy.requests(Opcode::get); }
    std::size_t others() const {
        std::size_t sum = 0;
        for (const auto opcode : {Opcode::create, Opcode::create2, Opcode::remove, Opcode::set, Opcode::multi, Opcode::get_acl,
                                  Opcode::set_watches, Opcode::remove_watches}) {
            sum += proxy.requests(opcode);
        }
        return sum;
    }
    /// The looks for lost events: one `exists` for each watched node, one session timeout after its last event.
    std::size_t looks() const { return proxy.requests(Opcode::exists); }
    std::size_t most_looks_since(steady_clock::time_point begin) const {
        return static_cast<std::size_t>((steady_clock::now() - begin) / session_timeout) * watched_nodes;
    }

    /// Includes the first sync, after which top reads.
    std::size_t heartbeats() const { return proxy.requests(Opcode::sync) + proxy.requests(Opcode::ping); }

    static constexpr std::chrono::seconds session_timeout{10};
    ManyLocks locks{observer, thousand};
    docent::testing::FaultProxy proxy{server.port()};
};

TEST_F(TopCostTest, AtTheStartInQuietTimesAndForEachChange) {
    const auto watches_before = server.metric("zk_watch_count");
    const auto start = steady_clock::now();
    const RealTerminal seen({"top", "/app", "--session-timeout", "10s"}, proxy.connect_string(), 140, 30);
    ASSERT_TRUE(seen.shows("1000 locks, 2000 waiting"));
    const auto all_read = [&] { return reads() >= 2 * thousand; };
    ASSERT_TRUE(eventually(all_read));
    EXPECT_EQ(lists(), 1 + thousand) << "each node once";
    EXPECT_LE(reads(), 2 * thousand + 1) << "two of each lock, and the ensemble's configuration";
    EXPECT_EQ(others(), 0U);
    EXPECT_LE(server.metric("zk_watch_count") - watches_before, static_cast<std::int64_t>(watched_nodes));

    const auto quiet = lists() + reads() + others();
    const auto beats = heartbeats();
    ASSERT_TRUE(eventually([&] { return heartbeats() >= beats + 4; }));
    EXPECT_EQ(lists() + reads() + others(), quiet) << "nothing but heartbeats and looks";
    const auto looked = looks(); // counted before the clock is read
    EXPECT_LE(looked, most_looks_since(start));

    const auto lists_before = lists();
    const auto reads_before = reads();
    locks.leave(); // a thousand locks change
    ASSERT_TRUE(seen.shows("1000 locks, 1000 waiting"));
    EXPECT_LE(lists() - lists_before, thousand);
    EXPECT_LE(reads() - reads_before, 2 * thousand);

    const auto hot_before = lists();
    const auto begun = steady_clock::now();
    for (int i = 0; i < 300; ++i) { // one lock changes as fast as possible
        observer.remove(observer.create("/app/lock-000/lock-", "", {.mode = CreateMode::ephemeral_sequential}).path);
    }
    observer.create("/app/lock-000/lock-", "", {.mode = CreateMode::ephemeral_sequential});
    ASSERT_TRUE(seen.shows("1000 locks, 1001 waiting"));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - begun).count();
    EXPECT_LE(lists() - hot_before, static_cast<std::size_t>(seconds) + 2) << "once a second, whatever happens";
    EXPECT_LE(reads() - reads_before, 2 * thousand + 2 * (static_cast<std::size_t>(seconds) + 2));

    const auto before_opening = reads();
    seen.press({"Enter"});
    ASSERT_TRUE(seen.shows("the queue of /app/lock-000"));
    seen.press({"Escape", "q"});
    EXPECT_TRUE(seen.ended(0));
    EXPECT_LE(reads() - before_opening, 2U) << "the others were known";
}

TEST_F(TopCostTest, OnceWatchesNothing) {
    const auto watches_before = server.metric("zk_watch_count");
    const auto result = run({.words = {"top", "/app", "--once"}, .connect = proxy.connect_string()});
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(lines_of(result.output).size(), thousand + 1);
    EXPECT_EQ(lists(), 1 + thousand);
    EXPECT_LE(reads(), 2 * thousand + 1);
    EXPECT_LE(server.metric("zk_watch_count"), watches_before);
}

} // namespace
} // namespace docent::test
