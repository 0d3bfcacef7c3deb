// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/reactor.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace docent::session {

/// Remembers how the last attempt at each server failed, for a message. Pure.
class FailedServers {
public:
    void add(const zk::FailedAttempt& attempt) { ends_[attempt.server] = attempt.end; }

    /// `no answer from 1.2.3.4:2181 (connection refused), 1.2.3.5:2181 (not tried yet)`, for a server list of the C client.
    std::string text(std::string_view server_list) const;

private:
    std::map<std::string, zk::AttemptEnd, std::less<>> ends_;
};

} // namespace docent::session
