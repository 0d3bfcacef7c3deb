// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client for recipes, on the real session and handle over the fake C client. Events that arrive together are told one by one,
// as a process is told of them.

#include "c_client/fake_session.hpp"
#include "client/core/client_view.hpp"
#include "client/core/removals/removals.hpp"
#include "testing/memory/rules.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace docent::test {

/// The paths are the servers' paths. The client does not look for orphaned nodes.
class SessionClient : public FakeSession, public detail::ClientView {
public:
    explicit SessionClient(std::uint64_t seed) : FakeSession(seed), random_(seed) {}
    ~SessionClient() override { end(); }
    SessionClient(const SessionClient&) = delete;
    SessionClient& operator=(const SessionClient&) = delete;

    /// A view for operations. This object must outlive them.
    std::shared_ptr<detail::ClientView> view() { return {std::shared_ptr<void>(), this}; }

    void post(std::function<void()> function) override { loop.post(std::move(function)); }
    void submit(zk::Request request, zk::ReplyHandler handler) override {
        session_->submit(detail::with_open_acls(std::move(request)), std::move(handler));
    }
    void forget_watch(const std::string& path, zk::WatchKind kind) override { session_->forget_watch(path, kind); }
    SessionEvent session() const override { return session_->last_event(); }
    std::shared_ptr<session::ValidityClock> validity_clock() const override { return session_->clock(); }

    detail::Registration listen(std::function<void(const SessionEvent&)> listener) override {
        auto registration = std::make_shared<Listener>(std::move(listener));
        listeners_.push_back(registration);
        return registration;
    }
    detail::Registration call_at(detail::steady_clock::time_point when, std::function<void()> function) override {
        std::shared_ptr<zk::EventLoop::Timer> timer = loop.make_timer();
        const auto delay = std::chrono::ceil<std::chrono::milliseconds>(when - now());
        timer->start(std::max(delay, std::chrono::milliseconds{0}), std::move(function));
        return timer;
    }
    detail::steady_clock::time_point now() const override { return loop.steady_now(); }
    void remove_in_background(detail::RemovalOrder order, detail::Removed done) override {
        removals_.add(std::move(order), session().state == SessionState::connected, std::move(done));
    }
    std::size_t removals() const { return removals_.pending(); }
    void keep_alive(std::weak_ptr<detail::KeptAlive> object) override { kept_alive_.push_back(std::move(object)); }

    std::string new_guid() override {
        constexpr std::size_t length = 37;
        std::string guid(length, '\0');
        std::snprintf(guid.data(), length, "00000000-0000-4000-8000-%012d", ++guids_);
        guid.pop_back();
        return guid;
    }
    std::string new_marked_guid() override { return new_guid(); }
    std::uint64_t random() override { return random_(); }
    const RetryPolicy& retry_policy() const override { return retry_policy_; }
    const std::string& default_data() const override { return default_data_; }
    asio::any_io_executor executor() const override { return loop.executor(); }
    void call_user(std::function<void()> function) noexcept override { loop.post(std::move(function)); }
    bool running_in_this_thread() const override { return true; }
    const ClientConfig& config() const override { return config_; }
    detail::SharedObjects& shared_objects() override { return shared_objects_; }

protected:
    void on_session_event(const SessionEvent& event) override {
        FakeSession::on_session_event(event);
        if (event.state == SessionState::connected) removals_.retry();
        if (event.state == SessionState::closed) removals_.on_closed();
        tell_live(kept_alive_, [&](detail::KeptAlive& each) { each.on_session_event(event); });
        tell_live(listeners_, [&](const Listener& each) { each(event); });
    }
    void on_heartbeat() override {
        removals_.retry();
        tell_live(kept_alive_, [](detail::KeptAlive& each) { each.on_heartbeat(); });
    }

private:
    using Listener = std::function<void(const SessionEvent&)>;

    template <typename T> static void tell_live(std::vector<std::weak_ptr<T>>& all, const auto& function) {
        std::erase_if(all, [](const auto& weak) { return weak.expired(); });
        for (const auto& weak : std::vector(all)) {
            if (const auto each = weak.lock()) function(*each);
        }
    }

    const std::shared_ptr<session::Session>& session_ = FakeSession::session;
    std::mt19937_64 random_;
    int guids_ = 0;
    std::vector<std::weak_ptr<Listener>> listeners_;
    std::vector<std::weak_ptr<detail::KeptAlive>> kept_alive_;
    detail::Removals removals_{
        [this](zk::Request request, zk::ReplyHandler handler) { submit(std::move(request), std::move(handler)); }};
    const RetryPolicy retry_policy_ = RetryPolicy::exponential_backoff(std::chrono::milliseconds{20}, 4);
    const std::string default_data_ = "holder";
    const ClientConfig config_{.connection_timeout = timeout};
    detail::SharedObjects shared_objects_;
};

} // namespace docent::test
