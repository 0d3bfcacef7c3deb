// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/program.hpp"

#include "eventually.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include <sys/wait.h>

namespace docent::cli {
namespace {

sigset_t no_signals() {
    sigset_t mask;
    ::sigemptyset(&mask);
    return mask;
}

int wait_status(Program& program) {
    EXPECT_TRUE(test::eventually([&] { return program.poll_ended().has_value(); }));
    return program.poll_ended().value_or(-1);
}

TEST(Program, HasTheExitStatusOfWhatItRuns) {
    Program program({"sh", "-c", "exit 3"}, {}, no_signals());
    EXPECT_EQ(program.start_error(), 0);
    EXPECT_EQ(WEXITSTATUS(wait_status(program)), 3);
}

TEST(Program, SeesTheVariablesInPlaceOfOurs) {
    ::setenv("DOCENT_TEST_VARIABLE", "ours", 1);
    Program program({"sh", "-c", R"([ "$DOCENT_TEST_VARIABLE" = theirs ] && [ -n "$PATH" ] && ! env | grep -q =ours)"},
                    {"DOCENT_TEST_VARIABLE=theirs"}, no_signals());
    EXPECT_EQ(WEXITSTATUS(wait_status(program)), 0);
    ::unsetenv("DOCENT_TEST_VARIABLE");
}

TEST(Program, TellsWhyItCannotBeExecuted) {
    EXPECT_EQ(Program({"/no/such/program"}, {}, no_signals()).start_error(), ENOENT);
    EXPECT_EQ(Program({"no-such-program-in-path"}, {}, no_signals()).start_error(), ENOENT);
    EXPECT_EQ(Program({"/"}, {}, no_signals()).start_error(), EACCES);
}

TEST(Program, GetsSignals) {
    Program program({"sleep", "1000"}, {}, no_signals());
    program.send(SIGTERM);
    const int status = wait_status(program);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGTERM);
    program.send(SIGTERM); // the number may be another process's by now: nothing is sent
}

TEST(Program, HasTheMaskThatItIsGiven) {
    sigset_t mask = no_signals();
    ::sigaddset(&mask, SIGTERM);
    Program program({"sh", "-c", "kill -TERM $$; exit 5"}, {}, mask);
    EXPECT_EQ(WEXITSTATUS(wait_status(program)), 5);
}

} // namespace
} // namespace docent::cli
