// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <stdexcept>
#include <string>

/// The options of one run, as typed: `--name value` pairs.
class Options {
public:
    /// Throws std::invalid_argument.
    Options(int argc, char** argv);

    const std::string& text(const std::string& name) const;
    std::string text(const std::string& name, const std::string& otherwise) const;
    int number(const std::string& name) const;
    int number(const std::string& name, int otherwise) const;

private:
    std::map<std::string, std::string> values_;
};

using Works = std::map<std::string, void (*)(const Options&)>;

/// What main() does: runs the work that `--work` names. Errors are printed on standard error, with `usage` if they are the
/// caller's. The exit status.
int run_work(int argc, char** argv, const char* program, const char* usage, const Works& works);
