// SPDX-License-Identifier: Apache-2.0
#pragma once

// A session on the fake C client, in virtual time.

#include "c_client/fake_c_client.hpp"
#include "session/session.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>
#include <vector>

namespace docent::test {

class FakeSession : protected session::SessionListener {
public:
    static constexpr std::chrono::milliseconds timeout{4'000};

    explicit FakeSession(std::uint64_t seed = 0, Heartbeats heartbeats = Heartbeats::frequent)
        : FakeSession({.servers = {{"127.0.0.1", 1}, {"127.0.0.1", 2}, {"127.0.0.1", 3}},
                       .timeout = timeout,
                       .heartbeats = heartbeats,
                       .random_seed = seed},
                      seed) {}
    explicit FakeSession(session::SessionOptions options, std::uint64_t seed = 0) : loop(context, seed) {
        service.make("/a");
        session = std::make_shared<session::Session>(std::shared_ptr<zk::EventLoop>(std::shared_ptr<void>(), &loop),
                                                     std::move(options), static_cast<session::SessionListener&>(*this), client);
    }
    ~FakeSession() override { end(); }
    FakeSession(const FakeSession&) = delete;
    FakeSession& operator=(const FakeSession&) = delete;

    /// Closes the session while all members of a derived class still exist.
    void end() {
        if (!session) return;
        loop.after_each = [] {}; // a function of a derived class may not work any more
        service.latency = [] { return std::chrono::milliseconds{1}; };
        service.ping_gap = [] { return timeout / 4; };
        session->close([] {});
        loop.run_for(10 * timeout);
        session.reset();
    }

    /// Starts the session, and runs until it is connected, unless a fault prevents this.
    void start() {
        session->start();
        loop.run_for(std::chrono::seconds{1});
    }
    /// Runs until `condition()`, for ten seconds at most. Returns the condition.
    template <typename Condition> bool run_until(const Condition& condition) {
        for (int n = 0; n < 10'000 && !condition(); ++n) loop.run_for(std::chrono::milliseconds{1});
        return condition();
    }
    bool run_to_heartbeat() {
        return run_until([this, before = heartbeats_sent] { return heartbeats_sent > before; });
    }
    void submit(
        zk::Request request, zk::ReplyHandler handler = [](const zk::Reply&) {}) {
        session->submit(std::move(request), std::move(handler));
    }

    asio::io_context context;
    VirtualLoop loop;
    FakeService service{loop, timeout};
    FakeCClient client{loop, service};
    std::shared_ptr<session::Session> session;
    std::vector<SessionEvent> events;
    std::string last_error;
    int heartbeats_sent = 0;

protected:
    void on_session_event(const SessionEvent& event) override { events.push_back(event); }
    void on_heartbeat() override { ++heartbeats_sent; }
    void on_connect_error(const std::string& text) override { last_error = text; }
};

} // namespace docent::test
