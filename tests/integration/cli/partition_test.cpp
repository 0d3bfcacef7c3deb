// SPDX-License-Identifier: Apache-2.0
// docent partition on several machines: each item has one command, also when machines come, leave and are killed.
#include "cli_fixture.hpp"

#include <docent/recipes/partitioner.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <signal.h>

namespace docent::test {
namespace {

namespace json = boost::json;

class PartitionTest : public CliTest {
protected:
    /// Machine `name`. The command of an item takes a lock of the kernel, which shows if two of them run at once, notes its
    /// token, and goes on until it is ended.
    Setting machine(const std::string& name, Words options = {}) const {
        const std::string script = "exec 9> " + file("alone") + "-$DOCENT_ITEM; flock --nonblock 9 || echo $DOCENT_ITEM >> " +
                                   file("two") + "; echo " + name + " $DOCENT_FENCING_TOKEN >> " + file("runs") +
                                   "-$DOCENT_ITEM; while :; do sleep 0.02 9>&-; done";
        options.insert(options.end(), {"--items", "4", "--id", name, "--join-delay", "300ms", "--leave-grace", "300ms"});
        return setting({"partition", "/part", "--session-timeout", "5s"}, options, {"sh", "-c", script});
    }
    /// For each item, the machine that has begun it last.
    std::vector<std::string> owners() const {
        std::vector<std::string> all;
        for (const char* item : {"0", "1", "2", "3"}) {
            const auto lines = lines_of(read_file(folder / (std::string("runs-") + item)));
            all.push_back(lines.empty() ? "" : lines.back().substr(0, lines.back().find(' ')));
        }
        return all;
    }
    bool share_is(const std::string& name, std::ptrdiff_t share) const {
        return eventually(
            [&] {
                const auto all = owners();
                return std::count(all.begin(), all.end(), name) == share;
            },
            60s);
    }
    /// How often the command of this item has begun, for commands that note their items in the file `ran`.
    std::ptrdiff_t runs_of(const char* item) const {
        const auto lines = lines_of(read_file(folder / "ran"));
        return std::count(lines.begin(), lines.end(), item);
    }
    bool never_two() const { return read_file(folder / "two").empty(); }
};

TEST_F(PartitionTest, MachinesShareAndHandOver) {
    DocentProcess first(machine("first"));
    ASSERT_TRUE(share_is("first", 4)) << first.errors();
    DocentProcess second(machine("second"));
    ASSERT_TRUE(share_is("second", 2)) << second.errors();
    const auto shown = run(setting({"inspect", "/part"})).output;
    EXPECT_NE(shown.find("member first present weight 1 items 2: "), std::string::npos) << shown;
    EXPECT_NE(shown.find("moves 2\n"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("stranger"), std::string::npos) << shown;
    const auto json = run(setting({"inspect", "/part", "--json"})).output;
    EXPECT_NE(json.find(R"("partition":{"members":[{"id":"first","weight":1,"present":true,"items":[)"), std::string::npos)
        << json;
    const auto top = json::parse(run(setting({"top", "/part", "--once", "--json"})).output).at("locks").as_array();
    const auto shown_by_top = [&](std::string_view member) {
        return std::count_if(top.begin(), top.end(), [&](const auto& lock) { return lock.at("label") == json::value(member); });
    };
    EXPECT_EQ(shown_by_top("first"), 2);
    EXPECT_EQ(shown_by_top("second"), 2);
    first.send(SIGTERM);
    EXPECT_EQ(first.exit_status(), 0) << first.errors();
    ASSERT_TRUE(share_is("second", 4)) << second.errors();
    second.send(SIGTERM);
    EXPECT_EQ(second.exit_status(), 0) << second.errors();
    EXPECT_TRUE(never_two());
    EXPECT_TRUE(observer.children("/part/members").names.empty());
}

TEST_F(PartitionTest, TheItemsOfAKilledMachineMove) {
    DocentProcess first(machine("first"));
    DocentProcess second(machine("second"));
    ASSERT_TRUE(share_is("first", 2)) << first.errors();
    ASSERT_TRUE(share_is("second", 2)) << second.errors();
    first.send(SIGKILL);
    ASSERT_TRUE(share_is("second", 4)) << second.errors();
    EXPECT_TRUE(never_two());
    second.send(SIGTERM);
    EXPECT_EQ(second.exit_status(), 0);
}

TEST_F(PartitionTest, ACommandThatEndsIsStartedAgain) {
    DocentProcess only(setting({"partition", "/part"}, {"--items", "a,b", "--join-delay", "0s"},
                               {"sh", "-c", "echo $DOCENT_ITEM >> " + file("ran")}));
    EXPECT_TRUE(eventually([&] { return runs_of("a") >= 2 && runs_of("b") >= 2; })) << only.errors();
    only.send(SIGTERM);
    EXPECT_EQ(only.exit_status(), 0);
}

TEST_F(PartitionTest, AMachineThatCannotStartTheCommandLeavesTheItemsToOthers) {
    DocentProcess without(setting({"partition", "/part"}, {"--items", "4"}, {file("missing")}));
    EXPECT_EQ(without.exit_status(), 127);
    EXPECT_NE(without.errors().find("docent: partition /part: CMD cannot be started here; the items go to other machines\n"),
              std::string::npos)
        << without.errors();
    DocentProcess with(machine("first"));
    ASSERT_TRUE(share_is("first", 4)) << with.errors();
    with.send(SIGTERM);
    EXPECT_EQ(with.exit_status(), 0);
}

/// The command itself exits with 127: for example a shell that does not find its last command.
TEST_F(PartitionTest, ACommandThatExitsWith127IsStartedAgain) {
    const std::string script = "echo $DOCENT_ITEM >> " + file("ran") + "; [ $DOCENT_ITEM = a ] && exit 127; exec sleep 1000";
    DocentProcess only(setting({"partition", "/part"}, {"--items", "a,b", "--join-delay", "0s"}, {"sh", "-c", script}));
    EXPECT_TRUE(eventually([&] { return runs_of("a") >= 2 && runs_of("b") >= 1; })) << only.errors();
    EXPECT_EQ(runs_of("b"), 1);
    only.send(SIGTERM);
    EXPECT_EQ(only.exit_status(), 0);
}

TEST_F(PartitionTest, WhatACommandSendsToItsGroupReachesNoOtherItem) {
    const std::string script = "echo $DOCENT_ITEM >> " + file("ran") + "; [ $DOCENT_ITEM = a ] || " + write("1", "began") +
                               "[ $DOCENT_ITEM = a ] || exec sleep 1000; " + wait_for_file("began") + "kill 0";
    DocentProcess only(setting({"partition", "/part"}, {"--items", "a,b", "--join-delay", "0s"}, {"sh", "-c", script}));
    EXPECT_TRUE(eventually([&] { return runs_of("a") >= 2 && runs_of("b") >= 1; })) << only.errors();
    EXPECT_EQ(runs_of("b"), 1);
    only.send(SIGTERM);
    EXPECT_EQ(only.exit_status(), 0);
}

/// A partition of one item.
class OneItemTest : public PartitionTest {
protected:
    Setting item(const std::string& script, Words options = {}) const {
        options.insert(options.end(), {"--items", "a", "--join-delay", "0s"});
        return setting({"partition", "/part", "--session-timeout", "5s"}, options, {"sh", "-c", script});
    }
    /// The docent of the item, and the process that starts the items.
    pid_t item_process() const { return parent_of(parent_of(pid_in("pid"))); }
    pid_t helper() const { return parent_of(item_process()); }

    const std::string stray = DOCENT_STRAY_PROGRAM " " + file("stray") + "; ";
    const std::string goes_on = write("$$", "pid") + for_ever;
};

TEST_F(OneItemTest, TheEndOfDocentAsksTheCommandOnceAndWithItsSignal) {
    const std::string noted =
        "trap 'echo TERM >> " + file("got") + "' TERM; trap 'echo INT >> " + file("got") + "; exit' INT; ";
    DocentProcess docent(item(noted + goes_on, {"--signal", "INT"}));
    ASSERT_TRUE(appears("pid")) << docent.errors();
    docent.send(SIGTERM);
    EXPECT_EQ(docent.exit_status(), 0);
    EXPECT_EQ(read_file(folder / "got"), "INT\n");
    EXPECT_EQ(docent.errors(), "");
}

TEST_F(OneItemTest, WithKeepPlaceTheMachineLeavesWhenTheCommandHasEnded) {
    const std::string slow = "trap '" + write("1", "ending") + wait_for_file("go-on") + "exit' TERM; ";
    DocentProcess docent(item(slow + goes_on, {"--id", "first", "--keep-place", "--grace", "60s"}));
    ASSERT_TRUE(appears("pid")) << docent.errors();
    docent.send(SIGTERM);
    ASSERT_TRUE(appears("ending")) << docent.errors();
    EXPECT_EQ(observer.children("/part/members").names.size(), 1u) << "the time for its restart has begun";
    touch("go-on");
    EXPECT_EQ(docent.exit_status(), 0);
    EXPECT_TRUE(observer.children("/part/members").names.empty());
}

TEST_F(OneItemTest, WithoutTheProcessThatStartsThemTheCommandsEnd) {
    DocentProcess docent(item(stray + ignores_term + goes_on));
    ASSERT_TRUE(appears("stray") && appears("pid")) << docent.errors();
    ASSERT_EQ(parent_of(helper()), docent.pid());
    ::kill(helper(), SIGKILL);
    EXPECT_EQ(docent.exit_status(), 1);
    EXPECT_TRUE(says(docent, "the process that starts the commands was killed"));
    EXPECT_TRUE(ends(pid_in("pid")));
    EXPECT_TRUE(ends(pid_in("stray")));
}

TEST_F(OneItemTest, WhatACommandLeavesBehindEndsBeforeItRunsAgain) {
    const std::string first = "cat " + file("stray") + " 2> /dev/null >> " + file("strays") + "; rm -f " + file("stray") + "; ";
    DocentProcess docent(item(first + stray + wait_for_file("stray") + "echo >> " + file("runs")));
    ASSERT_TRUE(eventually([&] { return !read_file(folder / "strays").empty(); })) << docent.errors();
    EXPECT_FALSE(is_alive(pid_in("strays")));
    docent.send(SIGTERM);
    EXPECT_EQ(docent.exit_status(), 0);
}

TEST_F(OneItemTest, AStarterThatIsStoppedIsWoken) {
    DocentProcess docent(item(goes_on));
    ASSERT_TRUE(appears("pid")) << docent.errors();
    const pid_t starter = helper();
    ASSERT_TRUE(stop(starter));
    docent.send(SIGTERM);
    EXPECT_EQ(docent.exit_status(), 0);
    EXPECT_FALSE(is_alive(pid_in("pid")));
}

TEST_F(OneItemTest, AStarterThatIsStoppedIsWokenByTheEndOfDocent) {
    DocentProcess docent(item(goes_on));
    ASSERT_TRUE(appears("pid")) << docent.errors();
    const pid_t starter = helper();
    ASSERT_TRUE(stop(starter));
    docent.send(SIGKILL);
    EXPECT_TRUE(ends(pid_in("pid")));
    EXPECT_TRUE(ends(starter));
}

TEST_F(OneItemTest, AnItemWhoseProcessIsStoppedIsWokenToEnd) {
    DocentProcess docent(item(goes_on, {"--grace", "60s"}));
    ASSERT_TRUE(appears("pid")) << docent.errors();
    const pid_t process = item_process();
    ASSERT_TRUE(stop(process));
    docent.send(SIGTERM);
    EXPECT_EQ(docent.exit_status(), 0);
    EXPECT_FALSE(is_alive(pid_in("pid")));
}

/// With --grace 60s the command would run beside the other machine's.
TEST_F(PartitionTest, ALongGraceIsCutOffAfterALoss) {
    docent::testing::FaultProxy proxy(server.port());
    auto cut_off = machine("first", {"--grace", "60s"});
    cut_off.words.back().insert(0, ignores_term);
    DocentProcess first(through(proxy, std::move(cut_off)));
    ASSERT_TRUE(share_is("first", 4)) << first.errors();
    ASSERT_TRUE(HeartbeatCounter(proxy).go_on(40)); // of five sessions: see rests_on_heartbeats()
    proxy.black_hole();
    DocentProcess second(machine("second"));
    ASSERT_TRUE(share_is("second", 4)) << second.errors();
    EXPECT_TRUE(never_two()) << read_file(folder / "two");
    proxy.heal();
}

TEST_F(PartitionTest, MoreItemsThanDescriptors) {
    const std::string script = "ulimit -Sn > " + file("limit") + "; echo >> " + file("ran") + "-$DOCENT_ITEM; exec sleep 1000";
    auto limited = setting({"partition", "/part"}, {"--items", "30", "--join-delay", "0s"}, {"sh", "-c", script});
    DocentProcess docent(in_shell(std::move(limited), "ulimit -Sn 32; exec \"$0\" \"$@\""));
    for (int item = 0; item < 30; ++item) EXPECT_TRUE(appears("ran-" + std::to_string(item))) << docent.errors();
    EXPECT_EQ(read_file(folder / "limit"), "32\n");
    docent.send(SIGTERM);
    EXPECT_EQ(docent.exit_status(), 0);
}

TEST_F(PartitionTest, WithoutAServerAtTheBeginningItSaysSo) {
    server.stop(); // its port stays reserved
    expect_outcome(run(setting({"partition", "/part"}, {"--items", "4"}, {"true"})), 69, server.connect_string());
}

} // namespace
} // namespace docent::test
