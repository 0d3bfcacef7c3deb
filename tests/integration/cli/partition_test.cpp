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
    /// The machine that has begun each item last.
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
    EXPECT_TRUE(eventually([&] {
        const auto lines = lines_of(read_file(folder / "ran"));
        return std::count(lines.begin(), lines.end(), "a") >= 2 && std::count(lines.begin(), lines.end(), "b") >= 2;
    })) << only.errors();
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

} // namespace
} // namespace docent::test
