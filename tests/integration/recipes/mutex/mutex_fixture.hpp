// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eventually.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <gtest/gtest.h>

namespace docent {

using namespace std::chrono_literals;

class MutexTest : public ProxiedTest {
protected:
    explicit MutexTest(Sessions sessions = Sessions::usual) : ProxiedTest(sessions) {}

    InterProcessMutex mutex{client, "/locks/job"};
    InterProcessMutex contender{other, "/locks/job"};

    std::vector<std::string> nodes() {
        error_code ec;
        other.sync("/locks/job", ec);
        return other.children("/locks/job", ec).names;
    }
    /// Waits until the queue has `length` nodes, also across the loss of a connection or a session.
    bool queue_reaches(std::size_t length) {
        return test::eventually([&] {
            error_code ec;
            other.sync("/locks/job", ec);
            const auto children = other.children("/locks/job", ec);
            return (!ec || ec == server_error::no_node) && children.names.size() == length;
        });
    }
};

} // namespace docent
