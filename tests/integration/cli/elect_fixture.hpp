// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli_fixture.hpp"

#include <signal.h>

namespace docent::test {

/// Machines that run `docent elect /lock`. Their commands take a lock of the kernel, which shows if two of them run at once.
class ElectTest : public CliTest {
protected:
    Setting elect(const Words& program, const Words& options = {}) const {
        return setting({"elect", "/lock"}, options, program);
    }
    /// Participant `name`. Its command first does `before`, then appends its process id to the file NAME, and runs until it is
    /// ended.
    Setting machine(const std::string& name, Words options = {}, const std::string& before = {}) const {
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
    std::string leader() const { return run(setting({"leader", "/lock"})).output; }
};

} // namespace docent::test
