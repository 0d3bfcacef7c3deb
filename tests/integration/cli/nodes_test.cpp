// SPDX-License-Identifier: Apache-2.0
// ls, get, set, create, delete, stat, exists, inspect, leader.
#include "cli_fixture.hpp"
#include "clients.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/leader_latch.hpp>

#include <regex>

namespace docent::test {
namespace {

class NodesTest : public CliTest {
protected:
    std::string output(Words words, std::string input = {}) {
        const auto result = run(setting(std::move(words), std::move(input)));
        EXPECT_EQ(result.status, 0) << result.errors;
        EXPECT_EQ(result.errors, "");
        return result.output;
    }
    void expect_refused(Words words, const std::string& named, int status = 1) {
        const auto result = run(setting(std::move(words)));
        EXPECT_EQ(result.status, status);
        EXPECT_EQ(result.output, "");
        expect_one_line(result.errors, named);
    }
};

TEST_F(NodesTest, CreateGetSetDelete) {
    EXPECT_EQ(output({"create", "/a", "one"}), "/a\n");
    EXPECT_EQ(output({"get", "/a"}), "one"); // only the bytes, unless the output is a terminal
    EXPECT_EQ(output({"set", "/a", "two"}), "");
    EXPECT_EQ(output({"get", "/a"}), "two");
    EXPECT_EQ(output({"set", "/a", "--version", "1", "--", "--three"}), "");
    EXPECT_EQ(output({"get", "/a"}), "--three");
    EXPECT_EQ(output({"delete", "/a", "--version", "2"}), "");
    EXPECT_FALSE(observer.exists("/a"));
}

TEST_F(NodesTest, DataOfAnyBytesGoesInAndOut) {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    output({"create", "/a", "-"}, bytes);
    EXPECT_EQ(observer.get("/a").data, bytes);
    EXPECT_EQ(output({"get", "/a"}), bytes);
    const std::string most(1'040'000, 'x');
    output({"set", "/a", "-"}, most);
    EXPECT_EQ(output({"get", "/a"}), most);
}

TEST_F(NodesTest, WaysToCreate) {
    EXPECT_EQ(output({"create", "/c/d/e", "--parents"}), "/c/d/e\n");
    const auto sequential = output({"create", "/c/q-", "--sequential"});
    EXPECT_TRUE(std::regex_match(sequential, std::regex("/c/q-[0-9]{10}\n"))) << sequential;
    output({"create", "/box", "--container"});
    expect_refused({"create", "/box/q", "--container", "--sequential"}, "sequential", 64);
}

TEST_F(NodesTest, AReadMakesNoChrootOrNamespaceAndNamesThem) {
    const std::string connect = server.connect_string() + "/none/such";
    const std::vector<Words> prefixes{{"--connect", connect}, {"--namespace", "none/such"}};
    const auto with = [&](Words words, std::size_t prefix) {
        words.insert(words.end(), prefixes[prefix].begin(), prefixes[prefix].end());
        return words;
    };
    for (const std::size_t prefix : {0u, 1u}) {
        for (const auto* reading : {"ls", "get", "stat"})
            expect_refused(with({reading, "/"}, prefix), "/ (below /none/such): no such node");
        EXPECT_EQ(run(setting(with({"exists", "/"}, prefix))).status, 1);
        EXPECT_EQ(run(setting(with({"leader", "/"}, prefix))).status, 1);
        const std::vector<Words> looks{{"inspect", "/"}, {"deadlocks"}, {"top", "--once"}};
        for (const auto& look : looks) {
            expect_outcome(run(setting(with(look, prefix))), 0, "/ (below /none/such): there is no such node");
        }
        EXPECT_FALSE(observer.exists("/none"));
    }
    EXPECT_EQ(output(with({"create", "/a"}, 0)), "/a\n");
    EXPECT_EQ(output(with({"ls", "/"}, 1)), "a\n");
}

TEST_F(NodesTest, LsIsSorted) {
    for (const auto* name : {"/p", "/p/b", "/p/a", "/p/c"}) observer.create(name);
    EXPECT_EQ(output({"ls", "/p"}), "a\nb\nc\n");
    EXPECT_EQ(output({"ls", "/p", "--json"}), "[\"a\",\"b\",\"c\"]\n");
    EXPECT_EQ(output({"ls", "/p/a"}), "");
    EXPECT_EQ(output({"ls", "/p/a", "--json"}), "[]\n");
}

TEST_F(NodesTest, Json) {
    const std::regex stat(R"(\{"czxid":\d+,"mzxid":\d+,"ctime":\d+,"mtime":\d+,"version":1,"cversion":0,"aversion":0,)"
                          R"("ephemeralOwner":0,"dataLength":5,"numChildren":0,"pzxid":\d+\})");
    const auto is_stat = [&](const std::string& text) { return std::regex_match(text, stat); };
    EXPECT_EQ(output({"create", "/a", "--json"}).rfind(R"({"path":"/a","stat":{"czxid":)", 0), 0u);
    const auto set = output({"set", "/a", "t\"x\\t", "--json"});
    EXPECT_TRUE(is_stat(set.substr(0, set.size() - 1))) << set;
    EXPECT_EQ(output({"stat", "/a", "--json"}), set);
    const auto stat_text = set.substr(0, set.size() - 1);
    EXPECT_EQ(output({"get", "/a", "--json"}), R"({"path":"/a","data":"t\"x\\t","stat":)" + stat_text + "}\n");
    EXPECT_EQ(output({"exists", "/a", "--json"}), R"({"exists":true,"stat":)" + stat_text + "}\n");
    EXPECT_EQ(run(setting({"exists", "/b", "--json"})).output, "{\"exists\":false}\n");
}

TEST_F(NodesTest, AccessControlListsAreSetAndShown) {
    output({"create", "/a", "--acl", "world:anyone:cdra"});
    EXPECT_EQ(output({"get-acl", "/a"}), "world:anyone:cdra\n");
    expect_refused({"set", "/a", "x"}, "set /a: not permitted");
    EXPECT_EQ(output({"set-acl", "/a", "world:anyone:rwa,ip:127.0.0.1:r", "--version", "0"}), "");
    EXPECT_EQ(output({"get-acl", "/a"}), "world:anyone:rwa\nip:127.0.0.1:r\n");
    const auto json = output({"get-acl", "/a", "--json"});
    EXPECT_EQ(json.rfind(R"({"acl":["world:anyone:rwa","ip:127.0.0.1:r"],"stat":{"czxid":)", 0), 0u) << json;
    expect_refused({"set-acl", "/a", "world:anyone:r", "--version", "0"}, "set-acl /a: ");
    output({"set", "/a", "x"});
    EXPECT_EQ(output({"create", "/b"}), "/b\n");
    EXPECT_EQ(output({"get-acl", "/b"}), "world:anyone:cdrwa\n");
}

TEST_F(NodesTest, StatShowsAFieldALine) {
    observer.create("/a", "12345");
    const auto lines = lines_of(output({"stat", "/a"}));
    ASSERT_EQ(lines.size(), 11u);
    EXPECT_EQ(lines[8], "dataLength 5");
}

TEST_F(NodesTest, ExistsAnswersWithItsStatus) {
    observer.create("/a");
    const auto there = run(setting({"exists", "/a"}));
    const auto not_there = run(setting({"exists", "/b"}));
    EXPECT_EQ(there.status, 0);
    EXPECT_EQ(not_there.status, 1);
    EXPECT_EQ(there.output + there.errors + not_there.output + not_there.errors, "");
}

TEST_F(NodesTest, TheServersRefusalsAreOneLineEach) {
    observer.create("/a");
    observer.create("/a/b");
    expect_refused({"get", "/x"}, "get /x: no such node");
    expect_refused({"ls", "/x"}, "ls /x: no such node");
    expect_refused({"stat", "/x"}, "stat /x: no such node");
    expect_refused({"set", "/x", ""}, "set /x: no such node");
    expect_refused({"create", "/x/y"}, "create /x/y: no such node");
    expect_refused({"create", "/a"}, "create /a: the node exists already");
    expect_refused({"delete", "/a"}, "delete /a: the node has children");
    expect_refused({"delete", "/a/b", "--version", "5"}, "delete /a/b: the node has another version");
}

TEST_F(NodesTest, NamespaceAndAuth) {
    output({"--namespace", "app", "create", "/a", "x"});
    EXPECT_EQ(observer.get("/app/a").data, "x");
    EXPECT_EQ(output({"get", "/a", "--namespace", "app"}), "x");

    Client owner = started({.connect_string = server.connect_string(), .auth = {{"digest", "user:secret"}}});
    owner.create("/mine", "x", {.acl = {{Permission::all, "auth", ""}}});
    expect_refused({"get", "/mine"}, "not permitted");
    EXPECT_EQ(output({"get", "/mine", "--auth", "digest:user:secret"}), "x");
}

TEST_F(NodesTest, InspectShowsHoldersAndWaiters) {
    observer.create("/lock", "");
    EXPECT_EQ(output({"inspect", "/lock"}), "") << "nobody is there";
    EXPECT_EQ(output({"inspect", "/lock", "--json"}), "{\"participants\":[],\"strangers\":[],\"locks\":[]}\n");
    DocentProcess holder(lock({"sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    DocentProcess waiter(lock({"true"}));
    ASSERT_TRUE(queue_reaches(2));
    observer.create("/lock/odd one", "");
    const auto text = output({"inspect", "/lock"});
    const std::regex expected(
        "mutex 0 holds lock \"[^\" ]+@[^\" ]+:[0-9]+ sleep\" session 0x[0-9a-f]+ token [0-9]+ _c_[0-9a-f-]+-lock-0000000000\n"
        "mutex 1 waits lock \"[^\" ]+@[^\" ]+:[0-9]+ true\" session 0x[0-9a-f]+ token [0-9]+ _c_[0-9a-f-]+-lock-0000000001\n"
        "stranger \"odd one\"\n");
    EXPECT_TRUE(std::regex_match(text, expected)) << text;
    EXPECT_NE(output({"inspect", "/lock", "--json"}).find("\"holds\":true"), std::string::npos);
    expect_refused({"inspect", "bad"}, "bad", 64);
}

TEST_F(NodesTest, InspectKnowsKazoosNodesWhenItIsTold) {
    observer.create("/lock", "");
    observer.create("/lock/0f3a__rlock__", "ann in Python", {.mode = CreateMode::ephemeral_sequential});
    EXPECT_EQ(output({"inspect", "/lock"}), "stranger 0f3a__rlock__0000000000\n");
    const auto text = output({"inspect", "/lock", "--kazoo"});
    const std::regex expected(
        "read_write_lock 0 holds read \"ann in Python\" session 0x[0-9a-f]+ token [0-9]+ 0f3a__rlock__0000000000\n");
    EXPECT_TRUE(std::regex_match(text, expected)) << text;
    EXPECT_NE(output({"inspect", "/lock", "--kazoo", "--json"}).find("\"strangers\":[]"), std::string::npos);
}

TEST_F(NodesTest, InspectAndBreakCopeWithANodeThatMayNotBeRead) {
    const Lease holder = InterProcessMutex(observer, "/lock", {.node_data = "secret"}).acquire();
    const std::string node = holder.node_path();
    observer.set_acl(node, {{Permission::write | Permission::delete_ | Permission::create, "world", "anyone"}});
    const std::string name = node.substr(node.rfind('/') + 1);
    EXPECT_TRUE(
        std::regex_match(output({"inspect", "/lock"}),
                         std::regex("mutex 0 holds lock \"\\(may not be read\\)\" session .* token .* " + name + "\n")));
    EXPECT_NE(output({"inspect", "/lock", "--json"}).find("\"readable\":false"), std::string::npos);
    expect_refused({"leader", "/lock"}, "not permitted by the node's ACL");
    EXPECT_NE(output({"break", node, "--yes"}).find("(may not be read)"), std::string::npos);
    EXPECT_EQ(observer.children("/lock").names.size(), 0U);
}

TEST_F(NodesTest, LeaderNamesTheLeader) {
    const auto nobody = run(setting({"leader", "/election"}));
    EXPECT_EQ(nobody.status, 1);
    EXPECT_EQ(nobody.output + nobody.errors, "");
    EXPECT_EQ(run(setting({"leader", "/election", "--json"})).output, "{\"leader\":null}\n");
    LeaderLatch first(observer, "/election", {.id = "first"});
    LeaderLatch second(observer, "/election", {.id = "the second\none"});
    const Leadership lead = first.await_leadership();
    second.start();
    ASSERT_TRUE(eventually([&] { return first.participants().size() == 2; }));
    EXPECT_EQ(output({"leader", "/election"}), "first\n");
    const auto json = output({"leader", "/election", "--json"});
    EXPECT_EQ(json.rfind(R"({"leader":{"recipe":"leader_latch","kind":"latch","position":0,"holds":true,"path":")" +
                             lead->node_path() + R"(","data":"first","session":"0x)",
                         0),
              0u)
        << json;
    const auto all = output({"inspect", "/election"});
    const std::regex expected("leader_latch 0 holds latch first session 0x[0-9a-f]+ token [0-9]+ _c_[0-9a-f-]+-latch-[0-9]+\n"
                              "leader_latch 1 waits latch \"the second\\\\none\" session 0x[0-9a-f]+ token [0-9]+ "
                              "_c_[0-9a-f-]+-latch-[0-9]+\n");
    EXPECT_TRUE(std::regex_match(all, expected)) << all;
    first.close();
    EXPECT_EQ(output({"leader", "/election"}), "\"the second\\none\"\n");
    expect_refused({"leader", "bad"}, "bad", 64);
}

TEST_F(NodesTest, LeaderKnowsALeaderSelectorsNodesToo) { // they are nodes of a mutex with the ids as data
    InterProcessMutex selector(observer, "/election", LockOptions{.node_data = "selected"});
    const Lease lease = selector.acquire();
    EXPECT_EQ(output({"leader", "/election"}), "selected\n");
    const auto all = output({"inspect", "/election"});
    EXPECT_EQ(all.rfind("mutex 0 holds lock selected session 0x", 0), 0u) << all;
    LeaderLatch latch(observer, "/election", {.id = ""});
    latch.await_leadership();
    EXPECT_EQ(output({"leader", "/election"}), "\"\"\n") << "an id may be empty";
}

} // namespace
} // namespace docent::test
