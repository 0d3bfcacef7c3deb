// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/marked_processes.hpp"

#include "cli/hold/program.hpp"

#include "eventually.hpp"

#include <gtest/gtest.h>

#include <string>

#include <signal.h>
#include <unistd.h>

namespace docent::cli {
namespace {

TEST(MarkedProcesses, FindsAProgramAndWhatItLeftBehind) {
    sigset_t mask;
    ::sigemptyset(&mask);
    const std::string mark = "DOCENT_TEST_MARK=" + std::to_string(::getpid());
    Program program({"sh", "-c", "sleep 1000 & sleep 1001; :"}, {mark}, mask);
    EXPECT_TRUE(test::eventually([&] { return find_processes_marked(mark).size() == 3; }));
    EXPECT_TRUE(find_processes_marked(mark + "0").empty()); // the whole entry counts

    program.send(SIGKILL);
    EXPECT_TRUE(test::eventually([&] { return program.poll_ended().has_value(); }));
    EXPECT_EQ(find_processes_marked(mark).size(), 2u); // the shell's children do not go with it

    EXPECT_TRUE(signal_processes_marked(mark, SIGKILL));
    EXPECT_TRUE(test::eventually([&] { return !signal_processes_marked(mark, SIGKILL); }));
}

} // namespace
} // namespace docent::cli
