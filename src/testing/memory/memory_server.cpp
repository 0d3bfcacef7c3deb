// SPDX-License-Identifier: Apache-2.0
#include <docent/testing/memory_server.hpp>

#include "posix/descriptors.hpp"
#include "posix/process_mark.hpp"
#include "posix/threads.hpp"
#include "testing/listener.hpp"
#include "testing/memory/connection.hpp"
#include "testing/process/certificates.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <future>
#include <list>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace docent::testing {

using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t most_servers = 5;

[[noreturn]] void fail(const std::string& text) {
    throw std::runtime_error("MemoryServer: " + text);
}

void check(const MemoryOptions& options) {
    if (options.servers == 0 || options.servers > most_servers)
        fail("MemoryOptions::servers is " + std::to_string(options.servers) + "; it must be 1 to 5");
    if (options.tick_time < milliseconds{1}) fail("MemoryOptions::tick_time must be at least 1 ms");
    if (options.max_session_timeout != milliseconds{0} && options.max_session_timeout < 2 * options.tick_time)
        fail("MemoryOptions::max_session_timeout must be at least 2 ticks, or 0 for 20 ticks");
    if (options.cleanup_interval < milliseconds{1}) fail("MemoryOptions::cleanup_interval must be at least 1 ms");
}

/// The data of `/zookeeper/config`. A single server has none, as in ZooKeeper.
std::string configuration(const std::deque<Listener>& listeners) {
    if (listeners.size() == 1) return {};
    std::string text;
    for (std::size_t server = 0; server < listeners.size(); ++server) {
        const std::string port = std::to_string(listeners[server].port());
        text.append("server.").append(std::to_string(server + 1)).append("=127.0.0.1:").append(port).append(":").append(port);
        text.append(":participant;127.0.0.1:").append(port).append("\n");
    }
    return text + "version=0";
}

std::int64_t milliseconds_since_epoch() {
    return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

posix::UniqueFd memory_file(const char* name, const std::string& text) {
    posix::UniqueFd file(::memfd_create(name, MFD_CLOEXEC));
    if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw posix::last_error("MemoryServer: cannot keep certificates in memory");
    return file;
}

void check_fault(const std::string& call, Opcode opcode, std::size_t number) {
    if (number == 0) fail(call + ": the number is 0; the next request has the number 1");
    if (opcode == Opcode::check) fail(call + ": a check is no request, but a part of a multi");
}

} // namespace

/// The certificates of servers in memory, and those of their clients. No file is written: what clients read is in memory, too.
class MemoryTls {
public:
    /// Makes the certificates. Throws std::runtime_error.
    MemoryTls() {
        const Certificates made = make_certificates();
        context_.use_certificate(asio::buffer(made.server), asio::ssl::context::pem);
        context_.use_private_key(asio::buffer(made.server), asio::ssl::context::pem);
        context_.add_certificate_authority(asio::buffer(made.ca));
        context_.set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
        constexpr std::string_view session_context =
            "docent"; // a server that verifies its clients resumes no session without one
        ::SSL_CTX_set_session_id_context(
            context_.native_handle(), reinterpret_cast<const unsigned char*>(session_context.data()), session_context.size());
        ca_ = memory_file("docent-memory-ca.pem", made.ca);
        client_ = memory_file("docent-memory-client.pem", made.client);
    }

    asio::ssl::context& context() { return context_; }
    /// The files for clients. Other processes can open them by these names, too.
    TlsConfig client_config() const {
        const std::string folder = "/proc/" + std::to_string(process_) + "/fd/";
        return {.ca_file = folder + std::to_string(ca_.get()), .certificate_file = folder + std::to_string(client_.get())};
    }

private:
    asio::ssl::context context_{asio::ssl::context::tls_server};
    posix::UniqueFd ca_;
    posix::UniqueFd client_;
    const pid_t process_ = ::getpid();
};

struct MemoryServer::Impl {
    explicit Impl(const MemoryOptions& given);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    /// Runs a function on the servers' thread and waits for its end, so that a fault is in force when its call returns.
    template <class Function> auto run(Function function) {
        std::packaged_task<decltype(function())()> task(std::move(function));
        asio::post(context, [&task] { task(); });
        return task.get_future().get();
    }
    milliseconds now() const {
        if (options.clock == Clock::manual) return manual_now;
        return std::chrono::duration_cast<milliseconds>(steady_clock::now() - start);
    }
    void accept(asio::ip::tcp::socket socket, std::size_t server, bool tls);
    void wait_for_tick();
    void start_server(std::size_t server);
    void stop_server(std::size_t server);
    void advance(milliseconds time);

    const posix::ProcessMark process{};
    const MemoryOptions options;
    const steady_clock::time_point start = steady_clock::now();
    milliseconds manual_now{0};
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    asio::steady_timer timer{context};
    std::optional<MemoryTls> tls;
    std::deque<Listener> listeners; // by server
    std::deque<Listener> tls_listeners;
    std::optional<MemoryService> service;
    std::list<std::shared_ptr<MemoryConnection>> connections;
    std::thread thread;
};

MemoryServer::Impl::Impl(const MemoryOptions& given) : options(given) {
    check(options);
    if (options.tls) tls.emplace();
    for (std::size_t server = 0; server < options.servers; ++server) {
        const auto on_accept = [this, server](bool with_tls) {
            return [this, server, with_tls](asio::ip::tcp::socket socket) { accept(std::move(socket), server, with_tls); };
        };
        listeners.emplace_back(context, server == 0 ? options.port : std::uint16_t{0}, "MemoryServer", on_accept(false));
        if (options.tls) tls_listeners.emplace_back(context, std::uint16_t{0}, "MemoryServer", on_accept(true));
    }
    const auto time = [this] { return now(); };
    service.emplace(options, time, milliseconds_since_epoch(), configuration(listeners));
    if (options.clock == Clock::real) wait_for_tick();
    thread = posix::start_quiet_thread([this] { context.run(); });
}

MemoryServer::Impl::~Impl() {
    run([this] {
        for (auto& listener : listeners) listener.close();
        for (auto& listener : tls_listeners) listener.close();
        for (const auto& connection : std::list(connections)) connection->abandon();
        context.stop();
    });
    thread.join();
}

void MemoryServer::Impl::accept(asio::ip::tcp::socket socket, std::size_t server, bool with_tls) {
    connections.remove_if([](const auto& connection) { return connection->is_over(); });
    connections.push_back(
        std::make_shared<MemoryConnection>(std::move(socket), with_tls ? &tls->context() : nullptr, server, *service));
    connections.back()->start();
}

void MemoryServer::Impl::wait_for_tick() {
    timer.expires_after(std::min(options.tick_time, options.cleanup_interval));
    timer.async_wait([this](error_code ec) {
        if (ec) return;
        // If the process was stopped, its clients were stopped, too, and could send no heartbeat.
        const auto late = std::chrono::duration_cast<milliseconds>(steady_clock::now() - timer.expiry());
        if (late > options.tick_time) service->ensemble().extend_sessions(late);
        service->ensemble().tick(now());
        wait_for_tick();
    });
}

void MemoryServer::Impl::start_server(std::size_t server) {
    if (service->ensemble().is_paused(server)) return service->resume(server);
    if (service->ensemble().is_running(server)) return;
    listeners.at(server).open();
    if (options.tls) tls_listeners.at(server).open();
    service->ensemble().set_running(server, true, now());
}

void MemoryServer::Impl::stop_server(std::size_t server) {
    if (!service->ensemble().is_running(server)) return;
    listeners.at(server).close();
    if (options.tls) tls_listeners.at(server).close();
    service->stop(server);
}

/// Stops at each time when a session expires or a cleanup is due.
void MemoryServer::Impl::advance(milliseconds time) {
    if (options.clock != Clock::manual) fail("advance() needs MemoryOptions::clock to be Clock::manual");
    const milliseconds end = manual_now + time;
    while (manual_now < end) {
        manual_now = std::clamp(service->ensemble().next_due(), manual_now + milliseconds{1}, end);
        service->pass(manual_now);
    }
}

// ---- MemoryServer

MemoryServer::MemoryServer(MemoryOptions options) : impl_(std::make_unique<Impl>(options)) {}

/// A child of the process that made the servers has copies of their sockets, but not their thread.
MemoryServer::~MemoryServer() {
    if (!impl_->process.is_here()) posix::keep_for_ever(std::move(impl_));
}

std::size_t MemoryServer::size() const noexcept {
    return impl_->listeners.size();
}

std::uint16_t MemoryServer::port(std::size_t server) const {
    return impl_->listeners.at(server).port();
}

std::string MemoryServer::connect_string() const {
    std::string text;
    for (std::size_t server = 0; server < size(); ++server) text += (server == 0 ? "" : ",") + connect_string(server);
    return text;
}

std::string MemoryServer::connect_string(std::size_t server) const {
    return "127.0.0.1:" + std::to_string(port(server));
}

std::string MemoryServer::tls_connect_string() const {
    if (!impl_->tls) fail("it does not listen with TLS; set MemoryOptions::tls");
    std::string text;
    for (const Listener& listener : impl_->tls_listeners)
        text += (text.empty() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(listener.port());
    return text;
}

TlsConfig MemoryServer::tls_config() const {
    if (!impl_->tls) fail("it does not listen with TLS; set MemoryOptions::tls");
    return impl_->tls->client_config();
}

bool MemoryServer::running(std::size_t server) const {
    return impl_->run([this, server] { return impl_->service->ensemble().is_running(server); });
}

void MemoryServer::start(std::size_t server) {
    impl_->run([this, server] { impl_->start_server(server); });
}

void MemoryServer::stop(std::size_t server) {
    impl_->run([this, server] { impl_->stop_server(server); });
}

void MemoryServer::kill(std::size_t server) {
    stop(server);
}

void MemoryServer::restart(std::size_t server) {
    stop(server);
    start(server);
}

void MemoryServer::pause(std::size_t server) {
    impl_->run([this, server] {
        if (!impl_->service->ensemble().is_running(server)) fail("cannot pause a server that does not run");
        impl_->service->pause(server);
    });
}

void MemoryServer::resume(std::size_t server) {
    impl_->run([this, server] {
        if (!impl_->service->ensemble().is_running(server)) fail("cannot resume a server that does not run");
        impl_->service->resume(server);
    });
}

std::optional<std::size_t> MemoryServer::leader() const {
    return impl_->run([this] { return impl_->service->ensemble().leader(); });
}

std::optional<std::size_t> MemoryServer::server_of(std::int64_t session_id) const {
    return impl_->run([this, session_id]() -> std::optional<std::size_t> {
        for (const Peer* const peer : impl_->service->peers()) {
            if (session_id != 0 && peer->session == session_id && !peer->closed) return peer->server;
        }
        return std::nullopt;
    });
}

std::string MemoryServer::four_letter_word(std::string_view word, std::size_t server) const {
    static_cast<void>(port(server)); // throws for a server that does not exist; an answer to `ruok` depends on no server
    return impl_->run([this, word, server] { return answer_word(*impl_->service, server, word); });
}

std::int64_t MemoryServer::metric(std::string_view name, std::size_t server) const {
    const std::string answer = four_letter_word("mntr", server);
    const std::string_view text = answer_field(answer, name, '\t');
    std::int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{})
        fail("mntr shows no whole number called " + std::string(name));
    return value;
}

void MemoryServer::advance(milliseconds time) {
    if (time < time.zero()) fail("time cannot go back");
    impl_->run([this, time] { impl_->advance(time); });
}

void MemoryServer::clean_up() {
    impl_->run([this] { impl_->service->ensemble().clean_up(impl_->now()); });
}

void MemoryServer::lose_request(Opcode opcode, std::size_t number) {
    check_fault("lose_request()", opcode, number);
    impl_->run([this, opcode, number] { impl_->service->fault_rules().lose(opcode, MemoryFaults::Loss::request, number); });
}

void MemoryServer::lose_reply(Opcode opcode, std::size_t number) {
    check_fault("lose_reply()", opcode, number);
    impl_->run([this, opcode, number] { impl_->service->fault_rules().lose(opcode, MemoryFaults::Loss::reply, number); });
}

void MemoryServer::drop_event(std::size_t number) {
    if (number == 0) fail("drop_event(): the number is 0; the next event has the number 1");
    impl_->run([this, number] { impl_->service->fault_rules().drop_event(number); });
}

bool MemoryServer::expire(std::int64_t session_id) {
    return impl_->run([this, session_id] { return impl_->service->ensemble().end_session(session_id); });
}

void MemoryServer::cut() {
    impl_->run([this] { impl_->service->cut(); });
}

bool MemoryServer::cut(std::int64_t session_id) {
    return impl_->run([this, session_id] { return impl_->service->cut(session_id); });
}

bool MemoryServer::stall(std::int64_t session_id) {
    return impl_->run([this, session_id] { return impl_->service->set_stalled(session_id, true); });
}

bool MemoryServer::unstall(std::int64_t session_id) {
    return impl_->run([this, session_id] { return impl_->service->set_stalled(session_id, false); });
}

void MemoryServer::lag(std::size_t server) {
    impl_->run([this, server] {
        auto& ensemble = impl_->service->ensemble();
        if (!ensemble.is_running(server) || ensemble.leader() == server) fail("only a server that follows another one can lag");
        ensemble.set_lagging(server, true);
    });
}

void MemoryServer::catch_up(std::size_t server) {
    impl_->run([this, server] { impl_->service->ensemble().set_lagging(server, false); });
}

void MemoryServer::lose_quorum() {
    impl_->run([this] { impl_->service->ensemble().set_quorum_lost(true, impl_->now()); });
}

void MemoryServer::regain_quorum() {
    impl_->run([this] { impl_->service->ensemble().set_quorum_lost(false, impl_->now()); });
}

void MemoryServer::heal() {
    impl_->run([this] { impl_->service->heal(); });
}

bool MemoryServer::wait_faults(std::size_t count, milliseconds timeout) const {
    return impl_->service->counters().wait_faults(count, timeout);
}

std::size_t MemoryServer::connections() const {
    return impl_->service->counters().connections();
}

std::size_t MemoryServer::requests(Opcode opcode) const {
    return impl_->service->counters().requests([=](std::int32_t number) { return is_of_kind(number, opcode); });
}

} // namespace docent::testing
