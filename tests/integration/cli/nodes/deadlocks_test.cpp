// SPDX-License-Identifier: Apache-2.0
#include "cli_fixture.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>

#include <boost/asio/use_future.hpp>

#include <atomic>
#include <future>
#include <map>
#include <thread>

namespace docent::test {
namespace {

using boost::asio::use_future;

/// Three programs, each of which holds its own lock.
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
    /// One holds /app/a and waits for /app/b, and so on in a circle.
    void lock_up() {
        for (const char* name : {"one", "two", "three"}) begin(name);
        const std::vector<std::string> paths{"/app/a", "/app/b", "/app/c"};
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
    EXPECT_EQ(result.output.find("deadlock of 3 sessions\n"), 0U) << result.output;
    EXPECT_NE(result.output.find(" waits at /app/b for two session "), std::string::npos) << result.output;

    const auto drawn = run(setting({"deadlocks", "/app", "--dot"}));
    EXPECT_EQ(drawn.status, 1);
    EXPECT_EQ(drawn.output.find("digraph deadlocks {\n"), 0U) << drawn.output;
    EXPECT_NE(drawn.output.find("[label=\"/app/c\"]"), std::string::npos) << drawn.output;

    const auto json = run(setting({"deadlocks", "/app", "--json"}));
    EXPECT_EQ(json.output.find(R"({"deadlocks":[[{"lock":"/app/)"), 0U) << json.output;

    programs[1].held.clear(); // one goes on, and so do all
    programs[0].waiting.get();
    const auto after = run(setting({"deadlocks"}));
    EXPECT_EQ(after.status, 0) << after.output;
    EXPECT_EQ(after.output, "");
}

TEST_F(DeadlocksTest, OverASemaphoreToo) {
    Program& one = begin("one");
    Program& two = begin("two");
    InterProcessSemaphore permits(*one.client, "/app/permits", 1);
    const Lease permit = permits.acquire();
    take(two, "/app/a");
    await(one, "/app/a");
    auto waiting = InterProcessSemaphore(*two.client, "/app/permits", 1).async_acquire(use_future);
    EXPECT_TRUE(eventually([&] { return observer.children("/app/permits/locks").names.size() == 1; }));
    const auto result = run(setting({"deadlocks", "/app"}));
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.output.find("deadlock of 2 sessions\n"), 0U) << result.output;
}

TEST_F(DeadlocksTest, NoneInAQueueNorWhileLocksChange) {
    std::atomic<bool> stop{false};
    std::vector<std::thread> workers;
    for (int n = 0; n < 3; ++n) {
        Client& client = *begin("worker").client;
        workers.emplace_back([&] { // always in the same order
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

TEST_F(DeadlocksTest, NothingIsNoDeadlock) {
    EXPECT_EQ(run(setting({"deadlocks", "/nowhere"})).status, 0);
    for (const auto& words : {std::vector<std::string>{"deadlocks", "no path"}, {"deadlocks", "--dot", "--json"}}) {
        const auto refused = run(setting(words));
        EXPECT_EQ(refused.status, 64);
        EXPECT_EQ(refused.output, "");
    }
}

} // namespace
} // namespace docent::test
