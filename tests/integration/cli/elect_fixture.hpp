// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli_fixture.hpp"

#include <signal.h>

namespace docent::test {

/// Machines that run `docent elect /lock`. Their commands take a lock of the kernel, which shows if two of them run at once.
class ElectTest : public CliTest {
protected:
    std::string file(const std::string& name) const { return (folder / name).string(); }

    DocentProcess::Setting elect(std::vector<std::string> program, std::vector<std::string> options = {}) const {
        std::vector<std::string> words{"elect", "/lock"};
        words.insert(words.end(), options.begin(), options.end());
        words.emplace_back("--");
        words.insert(words.end(), program.begin(), program.end());
        return setting(words);
    }
    /// Participant `name`. Its command first does `before`, then appends its process id to the file NAME, and runs until it is
    /// ended.
    DocentProcess::Setting machine(const std::string& name, std::vector<std::string> options = {},
                                   const std::string& before = {}) const {
        options.insert(options.end(), {"--id", name});
        const std::string alone =
            "exec 9> " + file("alone") + "; flock --nonblock 9 || echo " + name + " >> " + file("two") + "; ";
        return elect({"sh", "-c", alone + before + "echo $$ >> " + file(name) + "; while :; do sleep 0.02 9>&-; done"},
                     options);
    }
    bool never_two() const { return read_file(folder / "two").empty(); }

    /// The process id of the command in the given run, when it has started. The first run is 1.
    pid_t command_of(const std::string& name, std::size_t run = 1) const {
        const auto lines = [&] { return lines_of(read_file(folder / name)); };
        if (!eventually([&] { return lines().size() >= run; }, std::chrono::seconds(60))) {
            ADD_FAILURE() << name << " does not run";
            return 1;
        }
        return static_cast<pid_t>(std::stol(lines()[run - 1]));
    }
    static bool ends(pid_t pid) {
        return eventually([&] { return !is_alive(pid); });
    }
    std::string leader() const { return run(setting({"leader", "/lock"})).output; }
    static bool says(const DocentProcess& process, const std::string& what) {
        return eventually([&] { return process.errors().find(what) != std::string::npos; });
    }
};

} // namespace docent::test
