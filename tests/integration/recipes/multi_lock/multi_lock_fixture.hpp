// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eventually.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <future>

namespace docent {

using namespace std::chrono_literals;
using docent::test::eventually;

class MultiLockTest : public ProxiedTest {
protected:
    explicit MultiLockTest(Sessions sessions = Sessions::usual) : ProxiedTest(sessions) {}

    InterProcessMultiLock mine{client, {"/b", "/a", "/c"}};

    std::vector<std::string> nodes(const std::string& path) {
        error_code ec;
        other.sync(path, ec);
        auto names = other.children(path, ec).names;
        std::sort(names.begin(), names.end());
        return names;
    }
    /// Waits until so many nodes stand in the queues at /a, /b and /c.
    bool queues_reach(std::array<std::size_t, 3> lengths) {
        return eventually([&] {
            return nodes("/a").size() == lengths[0] && nodes("/b").size() == lengths[1] && nodes("/c").size() == lengths[2];
        });
    }
    /// Waits until `mine` holds /a and waits for /b, which is taken. The first try has nodes there, too, but sets no watches.
    bool waits_for_b() {
        return eventually([&] { return proxy.requests(docent::testing::Opcode::get) >= 2; }) && queues_reach({1, 2, 0});
    }
    Lease taken(const std::string& path) { return InterProcessMutex(other, path).acquire(); }
    std::future<MultiLease> acquire() { return mine.async_acquire(boost::asio::use_future); }
    static bool waits(const std::future<MultiLease>& future) { return future.wait_for(0s) == std::future_status::timeout; }
};

} // namespace docent
