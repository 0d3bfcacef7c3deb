// SPDX-License-Identifier: Apache-2.0
#include <docent/testing/fault_proxy.hpp>

#include "posix/process_mark.hpp"
#include "posix/threads.hpp"
#include "testing/listener.hpp"
#include "testing/proxy/proxy_connection.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <future>
#include <list>
#include <thread>

namespace docent::testing {

using asio::ip::tcp;

struct FaultProxy::Impl {
    Impl(std::uint16_t server_port, Traffic what);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    /// Runs a function on the proxy's thread and waits for its end, so that a rule is in force when its call returns.
    template <class Function> void run(Function function) {
        if (std::this_thread::get_id() == thread.get_id()) return function(); // an action of on_forwarded()
        std::packaged_task<void()> task(std::move(function));
        asio::post(context, [&task] { task(); });
        task.get_future().get();
    }
    template <class Function> void for_each_connection(Function function) {
        connections.remove_if([](const auto& connection) { return connection->closed(); });
        for (const auto& connection : std::list(connections)) function(*connection);
    }
    void rules_changed() {
        for_each_connection([](ProxyConnection& connection) { connection.rules_changed(); });
    }

    void accept(tcp::socket socket);

    const posix::ProcessMark process;
    const tcp::endpoint server;
    const Traffic traffic;
    FaultRules rules;
    Counters counters;
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    std::list<std::shared_ptr<ProxyConnection>> connections; // in the order of their arrival
    Listener listener;
    std::thread thread;
};

FaultProxy::Impl::Impl(std::uint16_t server_port, Traffic what)
    : server(asio::ip::address_v4::loopback(), server_port), traffic(what),
      listener(context, 0, "FaultProxy", [this](tcp::socket socket) { accept(std::move(socket)); }) {
    thread = posix::start_quiet_thread([this] { context.run(); });
}

FaultProxy::Impl::~Impl() {
    run([this] {
        for_each_connection([](ProxyConnection& connection) { connection.cut(); });
        context.stop();
    });
    thread.join();
}

void FaultProxy::Impl::accept(tcp::socket socket) {
    counters.add_connection();
    connections.remove_if([](const auto& connection) { return connection->closed(); });
    connections.push_back(std::make_shared<ProxyConnection>(std::move(socket), server, traffic, rules, counters));
    connections.back()->rules_changed();
}

FaultProxy::FaultProxy(std::uint16_t server_port, Traffic traffic) : impl_(std::make_unique<Impl>(server_port, traffic)) {}

/// A child of the process that made the proxy has its connections, but not its thread.
FaultProxy::~FaultProxy() {
    if (!impl_->process.is_here()) posix::keep_for_ever(std::move(impl_));
}

std::uint16_t FaultProxy::port() const noexcept {
    return impl_->listener.port();
}

std::string FaultProxy::connect_string() const {
    return "127.0.0.1:" + std::to_string(port());
}

void FaultProxy::cut() {
    impl_->run([this] { impl_->for_each_connection([](ProxyConnection& connection) { connection.cut(); }); });
}

void FaultProxy::refuse() {
    impl_->run([this] { impl_->listener.close(); });
}

void FaultProxy::black_hole() {
    impl_->run([this] {
        impl_->rules.to_server.held = true;
        impl_->rules.to_client.held = true;
    });
}

void FaultProxy::black_hole(Direction direction) {
    impl_->run([this, direction] { impl_->rules[direction].held = true; });
}

void FaultProxy::delay(Direction direction, std::chrono::milliseconds time) {
    impl_->run([this, direction, time] {
        impl_->rules[direction].delay = time;
        impl_->rules_changed();
    });
}

void FaultProxy::cut_after_bytes(Direction direction, std::size_t bytes) {
    impl_->run([this, direction, bytes] { impl_->rules[direction].bytes_left = bytes; });
}

void FaultProxy::cut_before_request(Opcode opcode) {
    impl_->run([this, opcode] { impl_->rules.request_cuts.insert(opcode); });
}

void FaultProxy::cut_before_reply(Opcode opcode) {
    impl_->run([this, opcode] { impl_->rules.reply_cuts.insert(opcode); });
}

void FaultProxy::on_forwarded(Opcode opcode, std::function<void()> action) {
    impl_->run([this, opcode, action = std::move(action)]() mutable { impl_->rules.actions[opcode] = std::move(action); });
}

void FaultProxy::heal() {
    impl_->run([this] {
        impl_->rules = {};
        impl_->listener.open(); // after refuse()
        impl_->for_each_connection([](ProxyConnection& connection) { connection.heal(); });
    });
}

bool FaultProxy::wait_cuts(std::size_t count, std::chrono::milliseconds timeout) {
    return impl_->counters.wait_faults(count, timeout);
}

std::size_t FaultProxy::connections() const {
    return impl_->counters.connections();
}

std::size_t FaultProxy::requests(Opcode opcode) const {
    return impl_->counters.requests([=](std::int32_t number) { return number == static_cast<std::int32_t>(opcode); });
}

} // namespace docent::testing
