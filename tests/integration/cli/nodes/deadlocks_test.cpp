// SPDX-License-Identifier: Apache-2.0
#include "cli_fixture.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>

#include <boost/asio/use_future.hpp>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <thread>
#include <tuple>

#include <signal.h>

namespace docent::test {
namespace {

using boost::asio::use_future;

/// Three programs that each hold another lock.
class DeadlocksTest : public CliTest {
protected:
    struct Program {
        std::unique_ptr<Client> client;
        std::map<std::string, Lease> held = {};
        std::future<Lease> waiting = {};
    };

    Program& begin(const std::string& name) {
        auto client = std::make_unique<Client>(ClientConfig{.connect_string = server.connect_string(), .default_data = name});
        client->start();
        return programs.emplace_back(Program{std::move(client)});
    }
    static void take(Program& program, const std::string& path) {
        program.held[path] = InterProcessMutex(*program.client, path).acquire();
    }
    void await(Program& program, const std::string& path) {
        const auto before = observer.children(path).names.size();
        program.waiting = InterProcessMutex(*program.client, path).async_acquire(use_future);
        ASSERT_TRUE(eventually([&] { return observer.children(path).names.size() == before + 1; }));
    }
    /// The first holds /app/a and waits for /app/b, and so on in a cycle.
    void lock_up() {
        for (const char* name : {"one", "two", "three"}) begin(name);
        const Words paths{"/app/a", "/app/b", "/app/c"};
        for (std::size_t i = 0; i < 3; ++i) take(programs[i], paths[i]);
        for (std::size_t i = 0; i < 3; ++i) await(programs[i], paths[(i + 1) % 3]);
    }
    void TearDown() override {
        for (auto& program : programs) program.client->close();
    }

    std::deque<Program> programs;
};

TEST_F(DeadlocksTest, ThreeProgramsOverThreeLocks) {
    lock_up();
    const auto result = run(setting({"deadlocks"}));
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.errors, "");
    EXPECT_EQ(result.output.find("possible deadlock of 3 sessions\n"), 0U) << result.output;
    EXPECT_NE(result.output.find(" waits at /app/b for two session "), std::string::npos) << result.output;

    const auto drawn = run(setting({"deadlocks", "/app", "--dot"}));
    EXPECT_EQ(drawn.status, 1);
    EXPECT_EQ(drawn.output.find("digraph deadlocks {\n"), 0U) << drawn.output;
    EXPECT_NE(drawn.output.find("[label=\"/app/c\", style=dashed]"), std::string::npos) << drawn.output;

    const auto json = run(setting({"deadlocks", "/app", "--json"}));
    EXPECT_EQ(json.output.find(R"({"deadlocks":[[{"lock":"/app/)"), 0U) << json.output;

    programs[1].held.clear(); // one program continues, and so all do
    std::ignore = programs[0].waiting.get();
    const auto after = run(setting({"deadlocks"}));
    EXPECT_EQ(after.status, 0) << after.output;
    EXPECT_EQ(after.output, "");
}

TEST_F(DeadlocksTest, UnreadableNodesAreNamedAndLeftOut) {
    lock_up();
    const Acl write_only{AclEntry{Permission::write | Permission::create, "world", "anyone"}};
    observer.create("/app/secret", "", {.acl = write_only});
    const auto result = run(setting({"deadlocks", "/app"}));
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.output.find("possible deadlock of 3 sessions\n"), 0U) << result.output;
    expect_one_line(result.errors, "deadlocks /app: 1 of the nodes may not be read, and are left out: /app/secret");
    expect_outcome(run(setting({"deadlocks", "/app/secret"})), 1, "deadlocks /app/secret: not permitted by the node's ACL");
}

TEST_F(DeadlocksTest, OverASemaphoreToo) {
    Program& one = begin("one");
    Program& two = begin("two");
    InterProcessSemaphore permits(*one.client, "/app/permits", 1);
    const Lease permit = permits.acquire();
    remove_empty_gate("/app/permits"); // the waiter makes it again
    take(two, "/app/a");
    await(one, "/app/a");
    auto waiting = InterProcessSemaphore(*two.client, "/app/permits", 1).async_acquire(use_future);
    error_code ec;
    EXPECT_TRUE(eventually([&] { return observer.children("/app/permits/locks", ec).names.size() == 1; }));
    const auto result = run(setting({"deadlocks", "/app"}));
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.output.find("possible deadlock of 2 sessions\n"), 0U) << result.output;
}

TEST_F(DeadlocksTest, NoneInAQueueNorWhileLocksChange) {
    std::atomic<bool> stop{false};
    std::vector<std::thread> workers;
    for (int n = 0; n < 3; ++n) {
        Client& client = *begin("worker").client;
        workers.emplace_back([&] { // all workers take the locks in the same order
            while (!stop) {
                const Lease first = InterProcessMutex(client, "/app/a").acquire();
                const Lease second = InterProcessMutex(client, "/app/b").acquire();
            }
        });
    }
    for (int n = 0; n < 20; ++n) {
        const auto result = run(setting({"deadlocks", "/app"}));
        EXPECT_EQ(result.status, 0) << result.output << result.errors;
        EXPECT_EQ(result.output, "");
    }
    stop = true;
    for (auto& worker : workers) worker.join();
}

// ---- owners

TEST_F(DeadlocksTest, OwnersOfThreadsMakeItCertain) {
    Program& program = begin("bank");
    const auto lock = [&](const std::string& path, const std::string& owner) {
        return InterProcessMutex(*program.client, path, {.node_data = "bank", .owner = owner});
    };
    const Lease first = lock("/app/a", "bank/1").acquire();
    Lease second = lock("/app/b", "bank/2").acquire();
    auto one = lock("/app/b", "bank/1").async_acquire(use_future);
    ASSERT_TRUE(eventually([&] { return observer.children("/app/b").names.size() == 2; }));
    EXPECT_EQ(run(setting({"deadlocks"})).status, 0) << "only one of them waits";
    auto two = lock("/app/a", "bank/2").async_acquire(use_future);
    ASSERT_TRUE(eventually([&] { return observer.children("/app/a").names.size() == 2; }));
    const auto result = run(setting({"deadlocks"}));
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.output.find("certain deadlock of 2 owners\n  bank session "), 0U) << result.output;
    const auto json = run(setting({"deadlocks", "--json"})).output;
    EXPECT_NE(json.find(R"("certain":true)"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("owner":"bank/2")"), std::string::npos) << json;
    const auto dot = run(setting({"deadlocks", "--dot"})).output;
    EXPECT_NE(dot.find(R"("bank/1" -> "bank/2" [label="/app/b"])"), std::string::npos) << dot;
    second.release();
    std::ignore = one.get();
}

/// Two scripts that each hold a lock and run docent for the other script's lock, and a third script that runs docent for the
/// lock that it holds.
class DocentInDocentTest : public DeadlocksTest {
protected:
    /// Holds `outer`. When the file `go` exists, it runs a docent that waits for `inner`.
    Setting nested(const std::string& outer, const std::string& inner, const std::string& go) const {
        const std::string wait = "while [ ! -e " + file(go) + " ]; do sleep 0.02; done; ";
        return setting({"lock", outer, "--", "sh", "-c", wait + DOCENT_BINARY + " lock " + inner + " -- true"});
    }
    bool has(const std::string& path, std::size_t count) {
        return eventually([&] {
            error_code ec;
            return observer.children(path, ec).names.size() == count;
        });
    }
};

TEST_F(DocentInDocentTest, IsSeen) {
    DocentProcess one(nested("/app/a", "/app/b", "go"));
    DocentProcess two(nested("/app/b", "/app/a", "go"));
    ASSERT_TRUE(has("/app/a", 1) && has("/app/b", 1));
    EXPECT_EQ(run(setting({"deadlocks"})).status, 0);
    touch("go");
    ASSERT_TRUE(has("/app/a", 2) && has("/app/b", 2));
    const auto result = run(setting({"deadlocks"}));
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.output.find("certain deadlock of 2 owners\n"), 0U) << result.output;
    // Each line holds a lock and runs the docent of the other line.
    const auto lines = lines_of(result.output);
    ASSERT_EQ(lines.size(), 3U);
    for (const std::size_t i : {1u, 2u}) {
        const auto waiter = lines[3 - i].substr(2, lines[3 - i].find(" waits at ") - 2);
        EXPECT_TRUE(lines[i].ends_with(" and runs " + waiter)) << result.output;
    }
    const auto json = run(setting({"deadlocks", "--json"})).output;
    for (const std::string path : {"/app/a", "/app/b"}) {
        EXPECT_NE(json.find(R"("runs":")" + path + "/_c_"), std::string::npos) << json;
    }
    one.send(SIGTERM);
    EXPECT_NE(one.exit_status(), 0);
    EXPECT_EQ(two.exit_status(), 0);
}

TEST_F(DocentInDocentTest, LabelsAreShownWithoutTheOwner) {
    DocentProcess holder(setting({"lock", "/app/a", "--label", "ann", "--", "sh", "-c", "echo $DOCENT_OWNER; sleep 30"}));
    ASSERT_TRUE(has_printed_a_line(holder));
    const auto owner = lines_of(holder.output()).at(0);
    EXPECT_EQ(owner.size(), 12U);
    const auto inspected = run(setting({"inspect", "/app/a"})).output;
    EXPECT_NE(inspected.find(" ann session "), std::string::npos) << inspected;
    EXPECT_EQ(observer.get("/app/a/" + observer.children("/app/a").names.at(0)).data, "ann\ndocent-owner: " + owner);
    const auto top = run(setting({"top", "/app", "--once"})).output;
    EXPECT_NE(top.find(" ann\n"), std::string::npos) << top;
    holder.send(SIGTERM);
    holder.exit_status();
}

// ---- drawings

/// Changes the PATH of docent.
class DrawingTest : public DeadlocksTest {
protected:
    void SetUp() override {
        DeadlocksTest::SetUp();
        lock_up();
    }
    Result drawn_in(const std::string& path) {
        const ScopedVariable changed("PATH", path);
        return run(setting({"deadlocks", "--svg"}));
    }
    const std::string before = std::getenv("PATH");
};

TEST_F(DrawingTest, IsGraphvizs) { // a stand-in for dot that prints its input
    std::ofstream(folder / "dot") << "#!/bin/sh\necho \"svg of $*\"; exec cat\n";
    std::filesystem::permissions(folder / "dot", std::filesystem::perms::owner_all);
    const auto result = drawn_in(file("") + ":" + before);
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.errors, "");
    EXPECT_EQ(result.output, "svg of -Tsvg\n" + run(setting({"deadlocks", "--dot"})).output);
}

TEST_F(DrawingTest, IsNotThereWithoutIt) {
    const auto result = drawn_in(file(""));
    EXPECT_EQ(result.status, 127);
    EXPECT_EQ(result.output, "");
    expect_one_line(result.errors, "--svg needs Graphviz");
}

TEST_F(DrawingTest, OfADotThatFailsIsNone) {
    std::ofstream(folder / "dot") << "#!/bin/sh\necho half\nexit 3\n";
    std::filesystem::permissions(folder / "dot", std::filesystem::perms::owner_all);
    const auto result = drawn_in(file("") + ":" + before);
    EXPECT_EQ(result.status, 127);
    EXPECT_EQ(result.output, "");
    expect_one_line(result.errors, "dot has failed");
}

TEST_F(DeadlocksTest, NothingIsNoDeadlock) {
    const auto nowhere = run(setting({"deadlocks", "/nowhere", "--json"}));
    EXPECT_EQ(nowhere.status, 0);
    EXPECT_EQ(nowhere.output, "{\"deadlocks\":[]}\n");
    expect_one_line(nowhere.errors, "deadlocks /nowhere: there is no such node");
    for (const auto& words :
         {Words{"deadlocks", "no path"}, {"deadlocks", "--dot", "--json"}, {"deadlocks", "--dot", "--svg"}}) {
        const auto refused = run(setting(words));
        EXPECT_EQ(refused.status, 64);
        EXPECT_EQ(refused.output, "");
    }
}

} // namespace
} // namespace docent::test
