// SPDX-License-Identifier: Apache-2.0
#include "session/connect_string.hpp"

#include <cstdlib>

/// What is accepted names at least one server, each with a port.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string fault;
    const auto parsed = docent::session::parse_connect_string({reinterpret_cast<const char*>(data), size}, fault);
    if (!fault.empty()) return 0;
    if (parsed.servers.empty()) std::abort();
    for (const auto& server : parsed.servers) {
        if (server.host.empty() || server.port == 0) std::abort();
    }
    return 0;
}
