// SPDX-License-Identifier: Apache-2.0
#include "c_client/fake_c_client.hpp"
#include "fake_world.hpp"
#include "session_subject.hpp"
#include "subject.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <utility>

namespace docent::conformance {
namespace {

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

} // namespace

std::unique_ptr<Subject> ensemble_subject(std::uint64_t seed, detail::ExistsNeeds exists_needs) {
    return std::make_unique<EnsembleSubject>(seed, exists_needs);
}

std::unique_ptr<Subject> c_client_subject(detail::ExistsNeeds exists_needs) {
    return std::make_unique<CClientSubject>(exists_needs);
}

} // namespace docent::conformance
