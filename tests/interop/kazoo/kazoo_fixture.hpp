// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eventually.hpp"
#include "peer_lock.hpp"
#include "servers/pooled_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/lock_options.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::test {

/// A thread of the Python peer at one of kazoo's locks (Lock, WriteLock, ReadLock) at /lock. Kazoo is told the names of
/// docent's nodes.
class KazooLock : public PeerLock {
public:
    KazooLock(Peer& peer, std::string thread, const std::string& kind)
        : PeerLock(peer, std::move(thread), {"client=kazoo", "path=/lock", "kind=" + kind}, "try") {}

    std::string contenders() { return ask("contenders")["data"]; }
};

/// A server, a client of docent's and one of kazoo's.
class KazooFixture : public ::testing::Test {
protected:
    std::optional<Peer> python;
    docent::test::PooledServer server{{.java_options = {"-Dznode.container.checkIntervalMs=50"}}};
    Client client{{.connect_string = server.connect_string(), .default_data = "docent"}};
    const LockOptions beside_kazoo{.others = kazoo_contenders()};

    void SetUp() override {
        if (std::string_view(DOCENT_PYTHON).empty()) GTEST_SKIP() << "there is no python3";
        python.emplace("Python", std::vector<std::string>{DOCENT_PYTHON, DOCENT_KAZOO_PEER});
        client.start();
        const auto opened = python->call("open", {"client=kazoo", "connect=" + server.connect_string()});
        if (opened.error == "ModuleNotFoundError") GTEST_SKIP() << "Debian's package python3-kazoo is not installed";
        ASSERT_EQ(opened.error, "");
        client.create("/lock"); // a container could be removed before kazoo's next attempt, and kazoo makes a path only once
    }
    KazooLock kazoos(const std::string& thread, const std::string& kind) { return {*python, thread, kind}; }

    bool queue_reaches(std::size_t length) {
        return eventually([&] {
            error_code ec;
            client.sync("/", ec);
            return client.children("/lock", ec).names.size() == length;
        });
    }
};

} // namespace docent::test
