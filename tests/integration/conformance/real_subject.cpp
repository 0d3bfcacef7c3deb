// SPDX-License-Identifier: Apache-2.0
#include "servers/pooled_server.hpp"
#include "session_subject.hpp"
#include "subject.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>

namespace docent::conformance {
namespace {

using test::PooledServer;

PooledServer& server() {
    // This server looks for empty containers all the time and allows nodes with a time to live.
    static PooledServer only{
        {.java_options = {"-Dznode.container.checkIntervalMs=20", "-Dzookeeper.extendedTypesEnabled=true"}}};
    return only;
}

class RealSubject final : public SessionSubject {
public:
    RealSubject() { start(zk::make_event_loop(context_.get_executor()), {{"127.0.0.1", server().port()}}); }
    ~RealSubject() override { end(); }

    bool run_until(const std::function<bool()>& done) override {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
        context_.restart();
        while (!done()) {
            if (context_.run_one_until(end) == 0) return done();
        }
        return true;
    }
    void reap() override {} // the server does so by itself

private:
    boost::asio::io_context context_;
};

} // namespace

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
