// SPDX-License-Identifier: Apache-2.0
// Many processes increment a number in a file that only the lock protects.
#include "cli_fixture.hpp"
#include "seeds.hpp"

#include <fstream>
#include <memory>

namespace docent::test {
namespace {

class LockTurnsTest : public CliTest {
protected:
    /// Each turn starts a docent, a guard, a shell and its commands.
    static constexpr auto patience = 240s;

    void count_together(int processes, int turns) {
        std::ofstream(folder / "f") << "0\n";
        const std::string file = (folder / "f").string();
        const std::string turn = DOCENT_BINARY " lock /lock -- sh -c 'n=$(cat " + file + "); echo $((n+1)) > " + file + "'";
        const std::string script =
            "i=0; while [ $i -lt " + std::to_string(turns) + " ]; do " + turn + " || exit; i=$((i+1)); done";
        std::vector<std::unique_ptr<DocentProcess>> running;
        for (int i = 0; i < processes; ++i) {
            running.push_back(std::make_unique<DocentProcess>(
                DocentProcess::Setting{.words = {"-c", script}, .connect = server.connect_string(), .program = "sh"}));
        }
        for (auto& process : running) EXPECT_EQ(process->exit_status(patience), 0) << process->errors();
        EXPECT_EQ(read_file(file), std::to_string(processes * turns) + "\n");
        EXPECT_TRUE(nodes().empty());
    }
};

TEST_F(LockTurnsTest, FiveProcessesTakeTenTurnsEach) {
    count_together(5, repetitions(10));
}

TEST_F(LockTurnsTest, TwentyProcessesTakeTenTurnsEach) {
    count_together(20, repetitions(10));
}

} // namespace
} // namespace docent::test
