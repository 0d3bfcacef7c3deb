// SPDX-License-Identifier: Apache-2.0

// GroupMember: docent's and Curator's in one group.

#include "eventually.hpp"
#include "framework_fixture.hpp"

#include <docent/recipes/group_member.hpp>

#include <string>

namespace docent::test {
namespace {

class GroupOfBoth : public FrameworkFixture {
protected:
    void curators(const std::string& verb, const std::string& payload = "") {
        curator("group-" + verb, "/group", {"id=java", "payload=" + payload});
    }
    bool curator_sees(const std::string& members) {
        return eventually([&] { return curator("group-members", "/group", {"id=java"})["members"] == members; });
    }
    bool becomes(const GroupMember& member, const Members& members) {
        return eventually([&] { return member.members() == members; });
    }
};

TEST_F(GroupOfBoth, EachSeesTheOther) {
    GroupMember member(*client, "/group", "docent", "a");
    member.await_node();
    curators("join", "x");
    EXPECT_TRUE(curator_sees("docent:a,java:x"));
    EXPECT_TRUE(becomes(member, {{"docent", "a"}, {"java", "x"}}));
    member.set_data("b");
    EXPECT_TRUE(curator_sees("docent:b,java:x"));
    curators("say", "y");
    EXPECT_TRUE(becomes(member, {{"docent", "b"}, {"java", "y"}}));
    member.close();
    EXPECT_TRUE(curator_sees("java:y"));
    curators("leave");
    EXPECT_TRUE(becomes(member, {}));
}

TEST_F(GroupOfBoth, DocentWaitsForTheIdThatCuratorHas) {
    curators("join", "x");
    ASSERT_TRUE(eventually([&] { return client->exists("/group/java").has_value(); })) << "Curator makes it in the background";
    GroupMember member(*client, "/group", "java", "mine");
    EXPECT_TRUE(becomes(member, {{"java", "x"}}));
    error_code ec;
    member.await_node(ec, {.timeout = std::chrono::milliseconds{100}});
    EXPECT_EQ(ec, server_error::operation_timeout);
    EXPECT_TRUE(becomes(member, {{"java", "x"}}));
    curators("leave");
    EXPECT_EQ(member.await_node(), "/group/java");
}

} // namespace
} // namespace docent::test
