// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"

#include <docent/tls.hpp>

#include <boost/asio/ssl/context.hpp>

#include <string>

namespace docent::testing {

/// The certificates of servers in memory, and those of their clients. No file is written: what clients read is in memory, too.
class MemoryTls {
public:
    /// Makes the certificates. Throws std::runtime_error.
    MemoryTls();

    boost::asio::ssl::context& context() { return context_; }
    /// The files for clients.
    TlsConfig client_config() const { return {.ca_file = name_of(ca_), .certificate_file = name_of(client_)}; }

private:
    std::string name_of(const posix::UniqueFd& file) const;

    boost::asio::ssl::context context_;
    posix::UniqueFd ca_;
    posix::UniqueFd client_;
    int process_;
};

} // namespace docent::testing
