// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/client.hpp>

#include <utility>

namespace docent {

/// Makes a client and starts it.
inline Client started(ClientConfig config) {
    Client client(std::move(config));
    client.start();
    return client;
}

} // namespace docent
