// SPDX-License-Identifier: Apache-2.0

// Four processes with docent and four with Curator share one mutex, one read/write lock and one semaphore.

#include "integration/cli/docent_process.hpp"
#include "locks_fixture.hpp"
#include "turn_log.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/inter_process_read_write_lock.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>

#include <array>
#include <memory>

namespace docent::test {
namespace {

TEST(TurnLog, TurnsAreCounted) {
    const TurnReport report =
        check_turns({"enter read a", "enter read b", "leave read a", "leave read b", "enter write a", "enter mutex b",
                     "enter permit b", "leave mutex b", "leave permit b", "leave write a"},
                    1);
    EXPECT_TRUE(report.wrong.empty());
    EXPECT_EQ(report.most_inside.at("read"), 2U);
    EXPECT_EQ(report.most_inside.at("write"), 1U);
    EXPECT_EQ(report.turns,
              (decltype(report.turns){
                  {{"a", "read"}, 1}, {{"a", "write"}, 1}, {{"b", "mutex"}, 1}, {{"b", "permit"}, 1}, {{"b", "read"}, 1}}));
}

TEST(TurnLog, WrongLinesAreFound) {
    const auto wrong = [](const std::vector<std::string>& lines, std::size_t permits = 1) {
        return check_turns(lines, permits).wrong.size();
    };
    EXPECT_EQ(wrong({"enter mutex a", "leave mutex a", "enter mutex b", "leave mutex b"}), 0U);
    EXPECT_EQ(wrong({"enter mutex a", "enter mutex b", "leave mutex a", "leave mutex b"}), 1U);
    EXPECT_EQ(wrong({"enter read a", "enter write b", "leave read a", "leave write b"}), 1U);
    EXPECT_EQ(wrong({"enter write a", "enter read b", "leave read b", "leave write a"}), 1U);
    EXPECT_EQ(wrong({"enter write a", "enter write b", "leave write b", "leave write a"}), 1U);
    EXPECT_EQ(wrong({"enter permit a", "enter permit b", "leave permit a", "leave permit b"}, 2), 0U);
    EXPECT_EQ(wrong({"enter permit a", "enter permit b", "leave permit a", "leave permit b"}, 1), 1U);
    EXPECT_EQ(wrong({"leave mutex a"}), 1U);
    EXPECT_EQ(wrong({"enter mutex a"}), 1U) << "never left";
    EXPECT_EQ(wrong({"enter read a", "enter read a", "leave read a"}), 1U);
    EXPECT_EQ(wrong({"enter read a", "leave read b", "leave read a"}), 1U);
    EXPECT_EQ(wrong({"enter other a", "leave other a"}), 1U);
    EXPECT_EQ(wrong({"enter read aleave read a", ""}), 2U);
}

constexpr std::size_t of_each = 4;
constexpr std::size_t everybody = 2 * of_each;
constexpr std::size_t turns = 25; // turns of each process at each lock
constexpr std::size_t permits = 3;

/// A lock for which turn_taker and the Java peer compete.
struct Contest {
    std::string path;
    Turns turns;
};

/// All processes read first and wait inside for each other; later, one turn in five is a write. A holder of one of the first
/// permits waits until all permits are held.
std::array<Contest, 3> contests_of(std::size_t number) {
    Turns reads_and_writes{{"read", everybody}};
    for (std::size_t turn = 1; turn < turns; ++turn) {
        reads_and_writes.push_back({(turn + number) % 5 == 0 ? "write" : "read"});
    }
    return {{{"/mutex", Turns(turns, {"mutex"})},
             {"/read-write", reads_and_writes},
             {"/semaphore", Turns(turns, {"permit", permits})}}};
}

class FreeForAll : public LocksFixture {
protected:
    std::array<JavaPeer, of_each - 1> more_peers;
    Folder folder;
    const std::string file = folder / "turns";
    std::vector<JavaPeer*> peers{&java};
    std::vector<std::unique_ptr<DocentProcess>> docents;
    decltype(TurnReport::turns) expected;

    void SetUp() override {
        LocksFixture::SetUp();
        for (JavaPeer& peer : more_peers) {
            peers.push_back(&peer);
            EXPECT_EQ(peer.call("open", {"client=curator", "connect=" + server.connect_string()}).error, "");
        }
    }

    void begin_curator(std::size_t number) {
        const std::string name = "curator-" + std::to_string(number);
        for (const Contest& contest : contests_of(number)) {
            expect(name, contest.turns);
            peers[number]->send(contest.path, "take-turns",
                                {"client=curator", "path=" + contest.path, "file=" + file, "name=" + name,
                                 "limit=" + std::to_string(permits), "turns=" + to_text(contest.turns)});
        }
    }
    void begin_docent(std::size_t number) {
        const std::string name = "docent-" + std::to_string(number);
        std::vector<std::string> words{name, file};
        for (const Contest& contest : contests_of(of_each + number)) {
            expect(name, contest.turns);
            words.insert(words.end(), {contest.path, to_text(contest.turns)});
        }
        docents.push_back(std::make_unique<DocentProcess>(
            DocentProcess::Setting{.words = words, .connect = server.connect_string(), .program = DOCENT_TURN_TAKER}));
    }
    void expect(const std::string& name, const Turns& all) {
        for (const Turn& turn : all) ++expected[{name, turn.side}];
    }
    bool grows_to(const std::string& path, std::size_t length) { return test::queue_reaches(*observer, path, length); }
    void await_all() {
        for (JavaPeer* peer : peers) {
            for (const Contest& contest : contests_of(0)) EXPECT_EQ(peer->await(contest.path).error, "") << contest.path;
        }
        for (const auto& process : docents) EXPECT_EQ(process->exit_status(), 0) << process->errors();
    }
};

TEST_F(FreeForAll, ExcludedContendersAreNeverInsideTogether) {
    InterProcessMutex mutex(*client, "/mutex");
    InterProcessReadWriteLock lock(*client, "/read-write");
    InterProcessSemaphore semaphore(*client, "/semaphore", permits);
    Lease held = mutex.acquire(), written = lock.write_lock().acquire();
    std::vector<Lease> all_permits = semaphore.acquire(permits);
    constexpr std::size_t first = permits - 1;
    for (std::size_t number = 0; number < first; ++number) begin_curator(number);
    ASSERT_TRUE(grows_to("/semaphore/locks", first)); // now docent takes the last permit
    for (std::size_t number = 0; number < of_each; ++number) begin_docent(number);
    ASSERT_TRUE(grows_to("/semaphore/locks", first + of_each));
    for (std::size_t number = first; number < of_each; ++number) begin_curator(number);
    ASSERT_TRUE(grows_to("/mutex", 1 + everybody));
    ASSERT_TRUE(grows_to("/read-write", 1 + everybody));
    ASSERT_TRUE(grows_to("/semaphore/locks", everybody));
    EXPECT_EQ(read_file(file), "") << "all three are held";
    held.release();
    written.release();
    all_permits.clear();
    await_all();

    TurnReport report = check_turns(lines_of(read_file(file)), permits);
    EXPECT_TRUE(report.wrong.empty()) << report.wrong.size() << " lines, first: " << report.wrong.front();
    EXPECT_EQ(report.most_inside["read"], everybody);
    EXPECT_EQ(report.most_inside["permit"], permits);
    EXPECT_EQ(report.turns, expected);
}

} // namespace
} // namespace docent::test
