// SPDX-License-Identifier: Apache-2.0

// The command when an allocation of its first thread fails (no_memory.cpp), and when DNS does not answer for one of its servers
// (silent_dns.cpp).

#include "cli_fixture.hpp"

#include <docent/testing/fault_proxy.hpp>

#include <fstream>
#include <string>

#include <signal.h>

namespace docent::test {
namespace {

using docent::testing::Direction;
using docent::testing::FaultProxy;

class NoMemory : public CliTest {
protected:
    Setting preloaded(Setting wanted) const {
        wanted.words.insert(wanted.words.begin(),
                            {"LD_PRELOAD=" DOCENT_NO_MEMORY, "DOCENT_TEST_NO_MEMORY=" + file("process"), DOCENT_BINARY});
        wanted.program = "/usr/bin/env";
        return wanted;
    }
};

TEST_F(NoMemory, TheCommandIsKilledBeforeTheLockIsReleased) {
    FaultProxy proxy(server.port());
    DocentProcess holder(preloaded(through(proxy, lock(goes_on(ignores_term), {"--max-hold", "4s", "--grace", "1000s"}))));
    ASSERT_TRUE(appears("pid"));
    const pid_t command = pid_in("pid");
    proxy.black_hole(Direction::to_client); // docent waits for the answer to its release
    std::ofstream(file("process")) << parent_of(parent_of(command));
    ASSERT_TRUE(queue_reaches(0));
    EXPECT_FALSE(is_alive(command));
    EXPECT_EQ(holder.exit_status(), 1);
    EXPECT_NE(messages(holder).find("out of memory"), std::string::npos) << holder.errors();
}

/// Far longer than each command takes, and far shorter than DNS is silent.
constexpr auto in_time = 40s;

class SilentNames : public CliTest {
protected:
    static Setting with_silent_dns(Words words, std::string connect) {
        words.insert(words.begin(), DOCENT_BINARY);
        words.insert(words.begin(), "LD_PRELOAD=" DOCENT_SILENT_DNS);
        return {.words = std::move(words), .connect = std::move(connect), .program = "/usr/bin/env"};
    }
};

TEST_F(SilentNames, TheServersThatAreThereAreUsed) {
    const auto began = steady_clock::now();
    const auto result = run(with_silent_dns({"exists", "/"}, "silent.example.org:2181," + server.connect_string()));
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_LT(steady_clock::now() - began, in_time);
}

TEST_F(SilentNames, WaitIsOverInTimeAndTheMessageNamesTheName) {
    const auto began = steady_clock::now();
    const auto result = run(with_silent_dns({"lock", "/lock", "-w", "1s", "--", "true"}, "silent.example.org:2181"));
    EXPECT_LT(steady_clock::now() - began, in_time);
    EXPECT_EQ(result.status, 69);
    expect_one_line(result.errors, "cannot resolve silent.example.org (no answer from DNS");
}

TEST_F(SilentNames, ASignalEndsItAtOnce) {
    DocentProcess process(with_silent_dns({"lock", "/lock", "-w", "60s", "--", "true"}, "silent.example.org:2181"));
    // Waits until docent handles signals: by then its second thread, which waits for the lock, exists.
    ASSERT_TRUE(eventually([&] { return stat_field(process.pid(), 18) >= "2"; }));
    const auto began = steady_clock::now();
    expect_ended_by(process, SIGTERM);
    EXPECT_LT(steady_clock::now() - began, in_time);
}

} // namespace
} // namespace docent::test
