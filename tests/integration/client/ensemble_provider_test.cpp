// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "eventually.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <stdexcept>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::AnyServer;
using docent::test::eventually;

class Provider final : public EnsembleProvider {
public:
    explicit Provider(std::string servers) : servers_(std::move(servers)) {}

    std::string connect_string() override {
        const std::lock_guard lock(mutex_);
        if (servers_.empty()) throw std::runtime_error("nothing known");
        return servers_;
    }
    void change(std::string servers) {
        const std::lock_guard lock(mutex_);
        servers_ = std::move(servers);
    }

private:
    std::mutex mutex_;
    std::string servers_;
};

TEST(EnsembleProviderTest, NamesTheServers) {
    AnyServer server;
    Client client = started({.connect_string = "nowhere.invalid:1/chroot",
                             .ensemble_provider = std::make_shared<Provider>(server.connect_string())});
    client.create("/a");
    EXPECT_TRUE(client.in_namespace("").exists("/a"));
    Client direct = started({.connect_string = server.connect_string()});
    EXPECT_TRUE(direct.exists("/chroot/a")) << "the chroot is that of the connect string";
}

TEST(EnsembleProviderTest, IsAskedAgainWhileNoServerAnswers) {
    AnyServer first;
    AnyServer second;
    const auto provider = std::make_shared<Provider>(first.connect_string());
    Client client = started({.session_timeout = 4s, .ensemble_provider = provider});
    client.wait_connected();
    second.restart();
    provider->change(second.connect_string());
    first.kill();
    ASSERT_TRUE(eventually([&client] { return client.session().epoch == 2; }));
    Client direct = started({.connect_string = second.connect_string()});
    client.create("/a");
    EXPECT_TRUE(direct.exists("/a"));
}

TEST(EnsembleProviderTest, UnusableAnswersAreSkipped) {
    AnyServer server;
    const auto provider = std::make_shared<Provider>("");
    Client client = started({.connect_string = server.connect_string(), .ensemble_provider = provider});
    client.wait_connected();
    provider->change("host:notaport");
    SessionWatcher session(client);
    server.restart();
    session.until(SessionState::suspended);
    session.until(SessionState::connected);
    EXPECT_EQ(client.session().epoch, 1u);
}

} // namespace
} // namespace docent
