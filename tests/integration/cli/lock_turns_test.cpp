// SPDX-License-Identifier: Apache-2.0
// Many processes increment a number in a file that only the lock protects.
#include "cli_fixture.hpp"
#include "seeds.hpp"

#include <fstream>
#include <memory>

namespace docent::test {
namespace {

using LockTurnsTest = CliTest;

TEST_F(LockTurnsTest, TwentyProcessesTakeTenTurnsEach) {
    constexpr int processes = 20;
    constexpr int turns = repetitions(10);
    std::ofstream(folder / "f") << "0\n";
    const std::string file = (folder / "f").string();
    const std::string turn = DOCENT_BINARY " lock /lock -- sh -c 'n=$(cat " + file + "); echo $((n+1)) > " + file + "'";
    const std::string script = "i=0; while [ $i -lt " + std::to_string(turns) + " ]; do " + turn + " || exit; i=$((i+1)); done";
    std::vector<std::unique_ptr<DocentProcess>> running;
    for (int i = 0; i < processes; ++i) {
        running.push_back(std::make_unique<DocentProcess>(
            DocentProcess::Setting{.words = {"-c", script}, .connect = server.connect_string(), .program = "sh"}));
    }
    for (auto& process : running) { // each turn starts a docent, a guard, a shell and its commands
        EXPECT_EQ(process->exit_status(240s), 0) << process->errors();
    }
    EXPECT_EQ(read_file(file), std::to_string(processes * turns) + "\n");
    EXPECT_TRUE(nodes().empty());
}

} // namespace
} // namespace docent::test
