// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eventually.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <gtest/gtest.h>

#include <future>

namespace docent {

using namespace std::chrono_literals;
using docent::test::eventually;

class SemaphoreTest : public ProxiedTest {
protected:
    explicit SemaphoreTest(Sessions sessions = Sessions::usual) : ProxiedTest(sessions) {}

    InterProcessSemaphore mine{client, "/s", 3};
    InterProcessSemaphore theirs{other, "/s", 3};

    std::vector<std::string> children(const std::string& path) {
        other.sync(path);
        error_code ec;
        return other.children(path, ec).names;
    }
    bool reaches(std::size_t gate, std::size_t leases) {
        return eventually([&] { return children("/s/locks").size() == gate && children("/s/leases").size() == leases; });
    }
    template <typename T> static bool waits(const std::future<T>& future) {
        return future.wait_for(0s) == std::future_status::timeout;
    }
    /// Waits until the client has acted on every event that it has received so far.
    void settle() { client.sync(); }
};

} // namespace docent
