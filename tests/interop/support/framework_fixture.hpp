// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "peer.hpp"
#include "servers/pooled_server.hpp"

#include <docent/client.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace docent::test {

/// A server, a client of docent's and a client of Curator's called `curator`. Tests make more clients as they need them.
class FrameworkFixture : public ::testing::Test {
protected:
    JavaPeer java; // first: it starts while the server does
    docent::test::PooledServer server{{.java_options = {"-Dznode.container.checkIntervalMs=50"}}};
    std::unique_ptr<Client> client;

    void SetUp() override {
        client = connected({});
        open_curator("curator");
    }

    std::unique_ptr<Client> connected(ClientConfig config) {
        config.connect_string = server.connect_string();
        auto made = std::make_unique<Client>(std::move(config));
        made->start();
        made->wait_connected();
        return made;
    }

    void open_curator(const std::string& name, Words words = {}) {
        words.push_back("client=" + name);
        words.push_back("connect=" + server.connect_string());
        EXPECT_EQ(java.call("open", words).error, "");
    }

    /// The answer of `curator`, or of the client that the words name, to a command that should succeed.
    JavaAnswer curator(const std::string& verb, const std::string& path, const Words& words = {}) {
        const JavaAnswer answer = try_curator(verb, path, words);
        EXPECT_EQ(answer.error, "") << verb << ' ' << path;
        return answer;
    }

    JavaAnswer try_curator(const std::string& verb, const std::string& path, Words words = {}) {
        words.push_back("path=" + path);
        words.push_back("client=curator"); // the first of equal words counts
        return java.call(verb, words);
    }
};

} // namespace docent::test
