// SPDX-License-Identifier: Apache-2.0
#include "session/ensemble_tracker.hpp"

#include "c_client/fake_session.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

/// Keeps the connect string that it is given.
struct KeepingProvider : EnsembleProvider {
    std::string connect_string() override { return {}; }
    void on_ensemble_changed(const std::string& connect_string) override { told.push_back(connect_string); }
    std::vector<std::string> told;
};

/// A tracker on a connected session.
class EnsembleTrackerTest : public ::testing::Test, protected test::FakeSession {
protected:
    void SetUp() override {
        service.make("/zookeeper");
        service.make(zk::config_path);
        reconfigure("zk1");
        start();
    }
    void TearDown() override { end(); }
    void on_session_event(const SessionEvent& event) override {
        FakeSession::on_session_event(event);
        tracker.on_session_event(event);
    }
    /// Changes the ensemble to one server.
    void reconfigure(const std::string& host) {
        service.change(zk::config_path, "server.1=" + host + ":2888:3888:participant;2181\nversion=0");
    }

    std::shared_ptr<KeepingProvider> provider = std::make_shared<KeepingProvider>();
    EnsembleTracker tracker{*session, provider};
};

TEST_F(EnsembleTrackerTest, TellsOfEachChangeOnce) {
    EXPECT_EQ(provider->told, std::vector<std::string>{"zk1:2181"});
    reconfigure("zk2");
    loop.run_for(1s);
    reconfigure("zk2");
    service.cut(false);
    loop.run_for(1s);
    EXPECT_EQ(provider->told, (std::vector<std::string>{"zk1:2181", "zk2:2181"}));
}

/// The watch of the previous session is gone.
TEST_F(EnsembleTrackerTest, FollowsTheEnsembleInTheNextSessionToo) {
    service.expire(session->last_event().session_id);
    loop.run_for(1s);
    ASSERT_EQ(session->last_event().epoch, 2u);
    ASSERT_EQ(session->last_event().state, SessionState::connected);
    reconfigure("zk2");
    loop.run_for(1s);
    EXPECT_EQ(provider->told, (std::vector<std::string>{"zk1:2181", "zk2:2181"}));
}

} // namespace
} // namespace docent::detail
