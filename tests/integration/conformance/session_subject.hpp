// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/session.hpp"
#include "subject.hpp"

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace docent::conformance {

/// Clients with sessions on a real or fake C client.
class SessionSubject : public Subject {
public:
    void submit(std::size_t client, zk::Request request, zk::ReplyHandler handler) override {
        members_.at(client)->session->submit(std::move(request), std::move(handler));
    }
    std::int64_t session_of(std::size_t client) override {
        const auto& member = members_.at(client);
        return member->is_connected() ? member->session->last_event().session_id : 0;
    }
    void close(std::size_t client) override {
        bool closed = false;
        members_.at(client)->session->close([&closed] { closed = true; });
        run_until([&closed] { return closed; });
    }

protected:
    /// Connects all clients.
    void start(const std::shared_ptr<zk::EventLoop>& loop, const std::vector<session::HostPort>& servers,
               zk::CClient& c_client = zk::real_c_client()) {
        for (auto& member : members_) {
            member = std::make_unique<Member>();
            member->session = std::make_shared<session::Session>(
                loop, session::SessionOptions{servers, std::chrono::milliseconds{10'000}, {}}, *member, c_client);
            member->session->start();
            run_until([&member] { return member->is_connected(); });
        }
    }
    /// Must be called before the event loop is destroyed.
    void end() {
        for (std::size_t client = 0; client < clients; ++client) {
            if (session_of(client) != 0) close(client);
        }
        members_ = {};
    }

private:
    struct Member final : session::SessionListener {
        bool is_connected() const { return session->last_event().state == SessionState::connected; }
        void on_session_event(const SessionEvent&) override {}
        void on_heartbeat() override {}
        void on_connect_error(const std::string&) override {}

        std::shared_ptr<session::Session> session;
    };

    std::array<std::unique_ptr<Member>, clients> members_;
};

} // namespace docent::conformance
