// SPDX-License-Identifier: Apache-2.0
// docent lock --on-lost: the shell command that runs only after a loss.
#include "cli_fixture.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <signal.h>

namespace docent::test {
namespace {

class OnLostTest : public CliTest {
protected:
    std::string file(const std::string& name) const { return (folder / name).string(); }
    /// A command that writes its environment to a file, then makes a second file.
    std::vector<std::string> tells() const {
        return {"--on-lost",
                "echo $DOCENT_LOST_PATH $DOCENT_LOST_NODE $DOCENT_LOST_TOKEN $DOCENT_LOST_REASON ${DOCENT_LOCK_NODE-none} >" +
                    file("seen") + "; mv " + file("seen") + " " + file("told")};
    }
    /// "/lock" with the node and the token of the present holder.
    std::string expected() {
        const std::string node = "/lock/" + nodes().front();
        return "/lock " + node + " " + std::to_string(observer.get(node).stat.czxid) + " node_deleted none\n";
    }
    std::vector<std::string> stays(const std::string& until_term) const {
        return {"sh", "-c", "trap '" + until_term + " exit 0' TERM; echo in >" + file("in") + "; while :; do sleep 0.02; done"};
    }
};

TEST_F(OnLostTest, RunsWhenTheCommandIsGone) {
    auto options = tells();
    options.back() = "cat " + file("ended") + " >" + file("order") + "; " + options.back();
    options.insert(options.end(), {"--grace", "30s"});
    DocentProcess holder(lock(stays("echo ended >" + file("ended") + ";"), options));
    ASSERT_TRUE(file_appears(folder / "in"));
    const auto seen = expected();
    observer.remove("/lock/" + nodes().front());
    EXPECT_EQ(holder.exit_status(), 76);
    ASSERT_TRUE(file_appears(folder / "told"));
    EXPECT_EQ(read_file(folder / "told"), seen);
    EXPECT_EQ(read_file(folder / "order"), "ended\n");
    expect_one_line(messages(holder), "/lock: the lock was lost: its node was deleted; stopping the command");
}

TEST_F(OnLostTest, RunsAtOnceWithoutACommandAndIsNotWaitedFor) {
    auto options = tells();
    const auto to_go_on = folder / "to-go-on"; // runs as long as the folder exists
    std::ofstream(to_go_on) << "yes";
    options.back() += "; while [ -e " + to_go_on.string() + " ]; do sleep 0.02; done";
    options.insert(options.begin(), {"lock", "/lock", "--session-timeout", "10s"});
    DocentProcess holder(setting(options));
    ASSERT_TRUE(queue_reaches(1));
    ASSERT_TRUE(eventually([&] { return holder.output().ends_with('\n'); }));
    const auto seen = expected();
    observer.remove("/lock/" + nodes().front());
    EXPECT_EQ(holder.exit_status(), 76);
    ASSERT_TRUE(file_appears(folder / "told"));
    EXPECT_EQ(read_file(folder / "told"), seen);
}

TEST_F(OnLostTest, NothingElseIsALoss) {
    EXPECT_EQ(run(lock({"sh", "-c", "exit 76"}, tells())).status, 76);
    auto limited = tells();
    limited.insert(limited.end(), {"--max-hold", "100ms"});
    EXPECT_EQ(run(lock({"sleep", "1000"}, limited)).status, 124);
    DocentProcess holder(lock(stays(""), tells()));
    ASSERT_TRUE(file_appears(folder / "in"));
    holder.send(SIGTERM);
    EXPECT_EQ(holder.exit_status(), 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "seen"));
    EXPECT_FALSE(std::filesystem::exists(folder / "told"));
}

} // namespace
} // namespace docent::test
