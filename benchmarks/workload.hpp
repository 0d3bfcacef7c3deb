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

// Each runs one workload and prints its line of figures on standard output.
void run_uncontended(const Options& options);
void run_free(const Options& options);
void run_contended(const Options& options);
void run_latch(const Options& options);
void run_waiters(const Options& options);
void run_loss(const Options& options);
void run_rtt(const Options& options);
