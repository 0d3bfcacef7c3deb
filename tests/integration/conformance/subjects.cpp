// SPDX-License-Identifier: Apache-2.0
#include "c_client/fake_c_client.hpp"
#include "fake_world.hpp"
#include "play.hpp"
#include "servers/pooled_server.hpp"
#include "session/session.hpp"

#include <docent/testing/memory_server.hpp>

#include <boost/asio/io_context.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace docent::conformance {
namespace {

using test::PooledServer;

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

class EnsembleSubject final : public Subject {
public:
    EnsembleSubject(std::uint64_t seed, detail::ExistsNeeds exists_needs) : world_(seed, static_cast<int>(clients), "/lock") {
        world_.surroundings().ensemble.exists_needs = exists_needs;
        run_until([this] { return world_.client(0).linked() && world_.client(1).linked(); });
    }

    void submit(std::size_t client, zk::Request request, zk::ReplyHandler handler) override {
        world_.client(client).submit(std::move(request), std::move(handler));
    }
    std::int64_t session_of(std::size_t client) override {
        const SessionEvent event = world_.client(client).session();
        return event.state == SessionState::connected ? event.session_id : 0;
    }
    void close(std::size_t client) override { world_.client(client).close(); }
    bool run_until(const std::function<bool()>& done) override { return world_.run_until(done); }
    void reap() override { world_.surroundings().ensemble.reap_empty_containers(); }

private:
    detail::FakeWorld world_;
};

class CClientSubject final : public SessionSubject {
public:
    explicit CClientSubject(detail::ExistsNeeds exists_needs) {
        service_.exists_needs = exists_needs;
        start(std::shared_ptr<zk::EventLoop>(std::shared_ptr<void>(), &loop_), {{"127.0.0.1", 1}}, c_client_);
    }
    ~CClientSubject() override { end(); }

    bool run_until(const std::function<bool()>& done) override {
        for (int n = 0; n < 10'000 && !done(); ++n) loop_.run_for(std::chrono::milliseconds{1});
        return done();
    }
    void reap() override { service_.reap_empty_containers(); }

private:
    boost::asio::io_context context_;
    test::VirtualLoop loop_{context_};
    test::FakeService service_{loop_, std::chrono::seconds{10}};
    test::FakeCClient c_client_{loop_, service_};
};

/// Clients with sessions on a server that is reached through a socket.
class SocketSubject : public SessionSubject {
public:
    explicit SocketSubject(std::uint16_t port) { start(zk::make_event_loop(context_.get_executor()), {{"127.0.0.1", port}}); }
    ~SocketSubject() override { end(); }

    bool run_until(const std::function<bool()>& done) override {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
        context_.restart();
        while (!done()) {
            if (context_.run_one_until(end) == 0) return done();
        }
        return true;
    }

private:
    boost::asio::io_context context_;
};

class RealSubject final : public SocketSubject {
public:
    RealSubject() : SocketSubject(real_server().port()) {}
    void reap() override {} // the server does so by itself
};

struct Memory {
    testing::MemoryServer server;
};

class MemorySubject final : Memory, public SocketSubject {
public:
    explicit MemorySubject(detail::ExistsNeeds exists_needs)
        : Memory{testing::MemoryServer(
              {.extended_types = true, .exists_needs_read = exists_needs == detail::ExistsNeeds::read})},
          SocketSubject(Memory::server.port()) {}
    void reap() override { Memory::server.clean_up(); }
};

} // namespace

PooledServer& real_server() {
    static PooledServer only{
        {.java_options = {"-Dznode.container.checkIntervalMs=20", "-Dzookeeper.extendedTypesEnabled=true"}}};
    return only;
}

std::unique_ptr<Subject> ensemble_subject(std::uint64_t seed, detail::ExistsNeeds exists_needs) {
    return std::make_unique<EnsembleSubject>(seed, exists_needs);
}

std::unique_ptr<Subject> c_client_subject(detail::ExistsNeeds exists_needs) {
    return std::make_unique<CClientSubject>(exists_needs);
}

std::unique_ptr<Subject> memory_subject(detail::ExistsNeeds exists_needs) {
    return std::make_unique<MemorySubject>(exists_needs);
}

std::unique_ptr<Subject> real_subject() {
    return std::make_unique<RealSubject>();
}

detail::ExistsNeeds real_exists_needs() {
    static const auto needs = [] {
        RealSubject subject;
        const std::string path = "/exists-needs";
        const Acl unreadable{{Permission::write | Permission::delete_, "world", "anyone"}};
        bool answered = false;
        error_code told;
        subject.submit(0, zk::CreateRequest{.path = path, .acl = unreadable}, [](const zk::Reply&) {});
        subject.submit(0, zk::ExistsRequest{path}, [&](const zk::Reply& reply) {
            told = reply.ec;
            answered = true;
        });
        subject.run_until([&] { return answered; });
        return told ? detail::ExistsNeeds::read : detail::ExistsNeeds::nothing;
    }();
    return needs;
}

} // namespace docent::conformance
