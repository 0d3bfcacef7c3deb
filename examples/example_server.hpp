// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/testing/memory_server.hpp>

#include <optional>
#include <string>

/// The servers from the command line; without an argument, a new server in memory.
class ExampleServer {
public:
    ExampleServer(int argc, char** argv) {
        if (argc > 1) {
            connect_string_ = argv[1];
        } else {
            connect_string_ = own_.emplace().connect_string();
        }
    }

    const std::string& connect_string() const { return connect_string_; }

private:
    std::optional<docent::testing::MemoryServer> own_;
    std::string connect_string_;
};
