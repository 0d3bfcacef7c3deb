// SPDX-License-Identifier: Apache-2.0

// Nodes of docent look like nodes of Curator: default data, namespaces, protected names.

#include "base/protection.hpp"
#include "eventually.hpp"
#include "framework_fixture.hpp"
#include "queue/contender.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <cstdint>
#include <sstream>

namespace docent::test {
namespace {

using namespace std::chrono_literals;
using Framework = FrameworkFixture;

bool is_address(const std::string& text) {
    error_code ec;
    asio::ip::make_address(text, ec);
    return !ec;
}

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> items;
    std::istringstream in(list);
    for (std::string item; std::getline(in, item, ',');) items.push_back(item);
    return items;
}

/// Curator uses the address of the host's name, which may be 127.0.0.1 or 127.0.1.1. Docent uses the first address by which
/// other machines can reach this one. They are equal only if the host's name leads to that address.
TEST_F(Framework, DefaultDataIsAnAddressOfThisMachine) {
    client->create("/docent");
    curator("create", "/curator");
    const std::string ours = curator("get", "/docent").data(), theirs = client->get("/curator").data;
    EXPECT_TRUE(is_address(ours)) << ours;
    EXPECT_TRUE(is_address(theirs)) << theirs;
    auto reachable = split(java.call("addresses")["list"]);
    if (reachable.empty()) reachable.emplace_back("127.0.0.1");
    EXPECT_NE(std::find(reachable.begin(), reachable.end(), ours), reachable.end()) << ours;
}

TEST_F(Framework, DefaultDataIsForTransactionsButNotForParents) {
    client->create("/docent/child", {}, {.parents = Parents::container});
    client->commit(Transaction().create("/docent/committed"));
    curator("create", "/curator/child", {"parents"});
    curator("transaction", "", {"create=/curator/committed"});
    for (const std::string parent : {"/docent", "/curator"}) {
        EXPECT_EQ(client->get(parent).data, "");
        EXPECT_TRUE(is_address(client->get(parent + "/child").data)) << parent;
        EXPECT_EQ(client->get(parent + "/child").data, client->get(parent + "/committed").data);
    }
}

/// A Stat does not show that a node is a container. The server's removal after its last child shows it.
class FrameworkNamespace : public FrameworkFixture {
protected:
    void expect_container_of(const std::string& path, const std::string& child) {
        client->remove(child);
        EXPECT_TRUE(eventually([&] { return !client->exists(path); }, 10s)) << path << " is no container";
    }
};

TEST_F(FrameworkNamespace, OfDocents) {
    Client app = client->in_namespace("app");
    EXPECT_EQ(app.create("/a", "docent's").path, "/a");
    EXPECT_EQ(curator("get", "/a", {"namespace=app"}).data(), "docent's");
    curator("set", "/a", {"namespace=app", data_word("Curator's")});
    EXPECT_EQ(client->get("/app/a").data, "Curator's");
    expect_container_of("/app", "/app/a");
}

TEST_F(FrameworkNamespace, OfCurators) {
    EXPECT_EQ(curator("create", "/a", {"namespace=app", data_word("Curator's")})["path"], "/a");
    Client app = client->in_namespace("app");
    EXPECT_EQ(app.get("/a").data, "Curator's");
    app.set("/a", "docent's");
    EXPECT_EQ(curator("get", "/app/a").data(), "docent's");
    expect_container_of("/app", "/app/a");
}

TEST_F(FrameworkNamespace, OfAWholeClientWithSeveralLevels) {
    const auto ours = connected({.name_space = "app/part"});
    ours->create("/a", "docent's");
    open_curator("theirs", {"namespace=app/part"});
    EXPECT_EQ(curator("get", "/a", {"client=theirs"}).data(), "docent's");
    expect_container_of("/app", "/app/part/a");

    open_curator("later", {"namespace=app/part"}); // Curator makes a namespace only once
    curator("create", "/a", {"client=later", data_word("Curator's")});
    EXPECT_EQ(ours->get("/a").data, "Curator's");
    expect_container_of("/app", "/app/part/a");
}

TEST_F(Framework, ProtectedNameOfDocents) {
    const Created made = client->create(
        "/p/lock-", "",
        {.mode = CreateMode::ephemeral_sequential, .protection = Protection::protected_, .parents = Parents::container});
    const JavaAnswer protection = java.call("protection", {"of=" + made.path});
    EXPECT_EQ(protection["protected"], "true") << made.path;
    EXPECT_EQ(protection["path"], "/p/lock-0000000000");
    EXPECT_EQ(made.path, "/p/_c_" + protection["guid"] + "-lock-0000000000");
    EXPECT_EQ(curator("stat", made.path)["owner"], std::to_string(client->session().session_id));
}

TEST_F(Framework, ProtectedNameOfCurators) {
    const JavaAnswer made = curator("create", "/p/lock-", {"mode=EPHEMERAL_SEQUENTIAL", "protected", "parents"});
    const auto names = client->children("/p").names;
    ASSERT_EQ(names.size(), 1U);
    EXPECT_EQ("/p/" + names.front(), made["path"]);
    const std::string guid = java.call("protection", {"of=" + made["path"]})["guid"];
    EXPECT_EQ(detail::find_protected(names, guid), names);
    const auto contender = detail::parse_contender(detail::mutex_names(), names.front());
    ASSERT_TRUE(contender) << names.front();
    EXPECT_EQ(contender->sequence, 0);
    const std::int64_t owner = client->exists(made["path"])->ephemeral_owner;
    EXPECT_EQ(curator("stat", made["path"])["owner"], std::to_string(owner));
    EXPECT_TRUE(owner != 0 && owner != client->session().session_id) << owner;
}

} // namespace
} // namespace docent::test
