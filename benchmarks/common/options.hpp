// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stdexcept>
#include <string>

/// The options of a run, as they were typed: `--name value` pairs.
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

/// Does everything that main() does: runs the work of `--work`, and prints errors on standard error, with `usage` if the caller
/// made them. Returns the exit status.
int run_work(int argc, char** argv, const char* program, const char* usage, const Works& works);
