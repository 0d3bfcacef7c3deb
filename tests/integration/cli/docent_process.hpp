// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "folder.hpp"
#include "integration/testing/processes.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace docent::test {

std::string read_file(const std::filesystem::path& file);
std::vector<std::string> lines_of(const std::string& text);

/// Runs the docent command (or any other program) with its output in files.
class DocentProcess {
public:
    struct Setting {
        std::vector<std::string> words; // after the program's name
        std::string connect = {};       // $DOCENT_CONNECT
        std::string input = {};         // standard input
        std::string program = DOCENT_BINARY;
    };

    explicit DocentProcess(Setting setting);
    /// Kills it if it still runs.
    ~DocentProcess();
    DocentProcess(const DocentProcess&) = delete;
    DocentProcess& operator=(const DocentProcess&) = delete;

    pid_t pid() const { return pid_; }
    void send(int signal) const;
    bool running();
    /// Returns the exit status as a shell reports it. If the process does not end in this time, fails the test and returns -1.
    int exit_status(std::chrono::seconds patience = std::chrono::seconds(60));
    std::string output() const;
    std::string errors() const;

private:
    bool collect();

    Folder folder_;
    pid_t pid_ = 0;
    std::optional<int> wait_status_;
};

} // namespace docent::test
