// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>

#include <gtest/gtest.h>

namespace docent {
namespace {

class AclTest : public ::testing::Test {
protected:
    docent::test::AnyServer server;
    const Acl mine{{Permission::all, "auth", ""}};
    Client client = started({.connect_string = server.connect_string(), .auth = {{"digest", "u:p"}}});
    Client stranger = started({.connect_string = server.connect_string()});

    /// The ACL as the server stores it: other clients may use it for a node, too.
    Acl mine_of_client() {
        client.create("/mine", "", {.acl = mine});
        return client.get_acl("/mine").acl;
    }
    static Acl world(Permission permissions) { return {{permissions, "world", "anyone"}}; }
};

TEST_F(AclTest, UsualListsHaveFunctions) {
    client.create("/readable", "x", {.acl = read_only_acl()});
    EXPECT_EQ(client.get("/readable").data, "x");
    error_code ec;
    client.set("/readable", "y", ec);
    EXPECT_EQ(ec, server_error::no_auth);
    stranger.create("/b", "", {.acl = creator_all_acl()}, ec);
    EXPECT_EQ(ec, server_error::invalid_acl) << "without credentials";
    client.create("/c", "", {.acl = creator_all_acl()});
    stranger.get("/c", ec);
    EXPECT_EQ(ec, server_error::no_auth);
}

TEST_F(AclTest, ReadAndReplaced) {
    client.create("/a");
    EXPECT_EQ(client.get_acl("/a").acl, open_acl());
    const Stat stat = client.set_acl("/a", mine, 0);
    EXPECT_EQ(stat.aversion, 1);
    const NodeAcl now = client.get_acl("/a");
    EXPECT_EQ(now.stat, stat);
    ASSERT_EQ(now.acl.size(), 1u);
    EXPECT_EQ(now.acl[0].scheme, "digest");
    EXPECT_TRUE(now.acl[0].id.starts_with("u:")) << now.acl[0].id;
    EXPECT_EQ(now.acl[0].permissions, Permission::all);
    error_code ec;
    stranger.get("/a", ec);
    EXPECT_EQ(ec, server_error::no_auth);
    client.set_acl("/a", open_acl(), 0, ec);
    EXPECT_EQ(ec, server_error::bad_version);
    client.set_acl("/none", open_acl(), any_version, ec);
    EXPECT_EQ(ec, server_error::no_node);
    client.set_acl("/a", {}, any_version, ec);
    EXPECT_EQ(ec, server_error::invalid_acl);
    client.get_acl("/none", ec);
    EXPECT_EQ(ec, server_error::no_node);
}

TEST_F(AclTest, SetAclThatTakesAwayTheCallersReadSucceeds) {
    client.create("/a");
    error_code ec;
    const Stat stat = stranger.set_acl("/a", mine_of_client(), ec);
    EXPECT_EQ(ec, error_code{}) << ec.message();
    EXPECT_TRUE(stat == Stat{} || stat.aversion == 1) << "some servers tell the Stat to everybody";
    stranger.get("/a", ec);
    EXPECT_EQ(ec, server_error::no_auth) << "it was applied";
    EXPECT_EQ(client.get_acl("/a").stat.aversion, 1);

    client.create("/b");
    const Stat seen = stranger.set_acl("/b", world(Permission::write | Permission::admin), ec);
    EXPECT_EQ(ec, error_code{}) << ec.message();
    EXPECT_EQ(seen.aversion, 1) << "whoever has ADMIN may read the ACL, and the Stat with it";
}

TEST_F(AclTest, CreateThatAcceptsANodeWhichMayNotBeReadSucceeds) {
    client.create("/a", "x", {.acl = mine});
    error_code ec;
    const Created created = stranger.create("/a", "y", {.if_exists = IfExists::accept}, ec);
    EXPECT_EQ(ec, error_code{}) << ec.message();
    EXPECT_EQ(created.path, "/a");
    stranger.create("/a", "x", {.if_exists = IfExists::accept_same}, ec);
    EXPECT_EQ(ec, server_error::no_auth) << "whether it is the same cannot be seen";
    EXPECT_EQ(client.get("/a").data, "x");
}

TEST_F(AclTest, ParentsMayHaveTheirOwn) {
    const Acl read_only = world(Permission::read | Permission::create);
    client.create("/p/q/r", "", {.parents = Parents::persistent, .acl = world(Permission::read), .parents_acl = read_only});
    EXPECT_EQ(client.get_acl("/p").acl, read_only);
    EXPECT_EQ(client.get_acl("/p/q").acl, read_only);
    EXPECT_EQ(client.get_acl("/p/q/r").acl, world(Permission::read));
}

TEST_F(AclTest, ParentsAreMadeWhereOnlyCreatingIsAllowed) {
    client.create("/top", "", {.acl = world(Permission::create)});
    error_code ec;
    stranger.children("/top", ec);
    EXPECT_EQ(ec, server_error::no_auth) << "it may not be read";
    EXPECT_EQ(stranger.create("/top/a/b", "x", {.parents = Parents::persistent}).path, "/top/a/b");
    EXPECT_EQ(stranger.get("/top/a/b").data, "x");
}

TEST_F(AclTest, ProviderKnowsByPath) {
    struct Provider final : AclProvider {
        Acl acl_for(const std::string& path) override {
            asked.push_back(path);
            if (path.starts_with("/ns/locked")) return {{Permission::read | Permission::create, "world", "anyone"}};
            return {};
        }
        std::vector<std::string> asked;
    };
    const auto provider = std::make_shared<Provider>();
    {
        Client inner = started({.connect_string = server.connect_string() + "/chroot",
                                .name_space = "ns",
                                .default_acl = world(Permission::all),
                                .acl_provider = provider});
        inner.create("/locked/a", "", {.parents = Parents::persistent});
        inner.create("/free");
        inner.create("/other", "", {.acl = world(Permission::read)});
        inner.commit(Transaction().create("/locked/b", "x").create("/tx", "y"));
        EXPECT_EQ(inner.get_acl("/locked").acl, world(Permission::read | Permission::create));
        EXPECT_EQ(inner.get_acl("/locked/a").acl, world(Permission::read | Permission::create));
        EXPECT_EQ(inner.get_acl("/locked/b").acl, world(Permission::read | Permission::create));
        EXPECT_EQ(inner.get_acl("/free").acl, open_acl());
        EXPECT_EQ(inner.get_acl("/tx").acl, open_acl());
        EXPECT_EQ(inner.get_acl("/other").acl, world(Permission::read));
    }
    EXPECT_NE(std::find(provider->asked.begin(), provider->asked.end(), "/ns/locked"), provider->asked.end())
        << "paths have the namespace, but not the chroot";
    EXPECT_EQ(std::find(provider->asked.begin(), provider->asked.end(), "/"), provider->asked.end()) << "nor is it one of them";
    EXPECT_EQ(std::find(provider->asked.begin(), provider->asked.end(), "/ns/other"), provider->asked.end());
}

} // namespace
} // namespace docent
