// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "play.hpp"

#include <string>
#include <vector>

namespace docent::conformance {

/// A script that runs on a real server and on fake servers.
struct Script {
    std::string name;
    void (*play)(Play&);
};

// Each list is in its own file.
std::vector<Script> acl_scripts();
std::vector<Script> create_scripts();
std::vector<Script> change_scripts();
std::vector<Script> multi_scripts();
std::vector<Script> watch_scripts();
std::vector<Script> session_scripts();

} // namespace docent::conformance
