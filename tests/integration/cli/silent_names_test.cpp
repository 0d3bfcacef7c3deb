// SPDX-License-Identifier: Apache-2.0

// The command when DNS does not answer for one of its servers (silent_dns.cpp).

#include "cli_fixture.hpp"

#include <signal.h>

namespace docent::test {
namespace {

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
