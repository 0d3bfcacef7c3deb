// SPDX-License-Identifier: Apache-2.0
#include "zk/tls/tls_tunnel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace docent::zk {
namespace {

using Wait = asio::posix::stream_descriptor::wait_type;

constexpr std::size_t one_receive = 64U << 10U;
constexpr std::size_t longest_backlog = 256U << 10U; // with more bytes for one side, the other is not read

error_code failed_call() {
    return {errno, boost::system::system_category()};
}

/// Sends what the socket takes, and removes it from `bytes`. Returns false if the other end is gone.
bool send_some(int descriptor, std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const auto count = ::send(descriptor, bytes.data() + sent, bytes.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count > 0) sent += static_cast<std::size_t>(count);
        else if (errno == EAGAIN || errno == EINTR) break;
        else return false;
    }
    bytes.erase(0, sent);
    return true;
}

/// Calls `take` with all bytes that have arrived, `limit` at most. Returns false when no more will arrive.
bool receive_some(int descriptor, std::size_t limit, const auto& take) {
    std::array<char, one_receive> bytes; // not initialised: it is filled before each use
    for (std::size_t taken = 0; taken < limit;) {
        const auto count = ::recv(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 && errno == EAGAIN;
        taken += static_cast<std::size_t>(count);
        take(std::string_view(bytes.data(), static_cast<std::size_t>(count)));
    }
    return true;
}

asio::posix::stream_descriptor assigned(const asio::any_io_executor& strand, posix::UniqueFd fd, error_code& ec) {
    asio::posix::stream_descriptor descriptor(strand);
    if (!ec) descriptor.assign(fd.get(), ec);
    if (!ec) fd.release();
    return descriptor;
}

} // namespace

std::shared_ptr<TlsTunnel> TlsTunnel::begin(const asio::any_io_executor& strand, int c_descriptor,
                                            std::unique_ptr<TlsEngine> engine, EventLoop::Handler on_handshake,
                                            error_code& ec) {
    sockaddr_storage server{};
    socklen_t length = sizeof server;
    if (::getpeername(c_descriptor, reinterpret_cast<sockaddr*>(&server), &length) != 0) {
        ec = failed_call();
        ::shutdown(c_descriptor, SHUT_RDWR); // it might connect at any moment; keeps the error that says why it has not
        return nullptr;
    }
    posix::UniqueFd network(::fcntl(c_descriptor, F_DUPFD_CLOEXEC, 3));
    std::array<int, 2> ends{-1, -1};
    if (!network || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
        return ec = failed_call(), nullptr;
    }
    const posix::UniqueFd their_end(ends[0]);
    auto network_side = assigned(strand, std::move(network), ec);
    auto c_side = assigned(strand, posix::UniqueFd(ends[1]), ec);
    if (!ec && ::dup3(their_end.get(), c_descriptor, O_CLOEXEC) < 0) ec = failed_call();
    if (ec) return nullptr;
    auto tunnel = std::make_shared<TlsTunnel>(std::move(engine), std::move(on_handshake), std::move(network_side),
                                              std::move(c_side), posix::socket_of(their_end.get()));
    tunnel->engine_->start();
    tunnel->carry();
    tunnel->arm();
    return tunnel;
}

TlsTunnel::TlsTunnel(std::unique_ptr<TlsEngine> engine, EventLoop::Handler on_handshake, asio::posix::stream_descriptor network,
                     asio::posix::stream_descriptor c_client, ino_t near_end)
    : engine_(std::move(engine)), on_handshake_(std::move(on_handshake)), network_(std::move(network)),
      c_client_(std::move(c_client)), near_end_(near_end) {}

void TlsTunnel::step() {
    if (network_.descriptor.is_foreign() || !network_.descriptor->is_open()) return;
    carry();
    arm();
    if (engine_->state() != TlsEngine::State::handshake && on_handshake_) std::exchange(on_handshake_, nullptr)();
}

/// Carries as many bytes as both sides take at the moment.
void TlsTunnel::carry() {
    read_network();
    read_c_client();
    if ((c_client_.ended || engine_->state() == TlsEngine::State::ended) && !std::exchange(said_end_, true)) engine_->end();
    write_network();
    write_c_client();
    // The bytes that the server has sent before its end are delivered first. Then the C client finds the end of its connection.
    const bool no_more =
        engine_->state() == TlsEngine::State::ended || engine_->state() == TlsEngine::State::failed || network_.broken;
    if (no_more && !c_client_.broken && engine_->incoming().empty()) {
        ::shutdown(c_client_.fd(), SHUT_RDWR);
        c_client_.ended = c_client_.broken = true;
    }
}

void TlsTunnel::read_network() {
    if (network_.ended || engine_->incoming().size() > longest_backlog) return;
    const bool open = receive_some(network_.fd(), longest_backlog, [this](std::string_view bytes) { engine_->receive(bytes); });
    if (open) return;
    network_.ended = true;
    engine_->on_network_end();
}

bool TlsTunnel::wants_c_client() const {
    const bool has_room = closing_ || engine_->backlog() < longest_backlog;
    return engine_->state() == TlsEngine::State::open && !c_client_.ended && has_room;
}

/// Returns whether there were bytes.
bool TlsTunnel::read_c_client() {
    if (!wants_c_client()) return false;
    std::string bytes; // all together, for as few TLS records as possible
    const bool open = receive_some(c_client_.fd(), longest_backlog, [&](std::string_view some) { bytes += some; });
    if (!bytes.empty()) engine_->send(bytes);
    if (!open) c_client_.ended = true;
    return !bytes.empty();
}

void TlsTunnel::write_network() {
    std::string& bytes = engine_->outgoing();
    if (!network_.broken && !send_some(network_.fd(), bytes)) network_.broken = true;
    if (network_.broken) bytes.clear();
}

void TlsTunnel::write_c_client() {
    std::string& bytes = engine_->incoming();
    if (!c_client_.broken && !send_some(c_client_.fd(), bytes)) c_client_.broken = true;
    if (c_client_.broken) bytes.clear();
}

/// Waits until one of the sides can send or take bytes. Closes both if nothing is left to carry.
void TlsTunnel::arm() {
    const bool has_sent = network_.broken || engine_->backlog() == 0 || engine_->state() == TlsEngine::State::handshake;
    if (c_client_.ended && has_sent) return close();
    if (!network_.ended && engine_->incoming().size() <= longest_backlog) wait(network_, &Side::reading, Wait::wait_read);
    if (!network_.broken && !engine_->outgoing().empty()) wait(network_, &Side::writing, Wait::wait_write);
    if (wants_c_client()) wait(c_client_, &Side::reading, Wait::wait_read);
    if (!c_client_.broken && !engine_->incoming().empty()) wait(c_client_, &Side::writing, Wait::wait_write);
}

void TlsTunnel::wait(Side& side, bool Side::*waiting, Wait what) {
    if (std::exchange(side.*waiting, true)) return;
    side.descriptor->async_wait(what, [self = shared_from_this(), &side, waiting](error_code ec) {
        side.*waiting = false;
        if (!ec) self->step();
    });
}

/// Ends the waits, which own this object. Ends the connection even if a child of fork() has a copy of the descriptor.
void TlsTunnel::close() {
    error_code ignored;
    ::shutdown(network_.fd(), SHUT_RDWR);
    network_.descriptor->close(ignored);
    c_client_.descriptor->close(ignored);
}

void TlsTunnel::abandon() {
    if (!network_.descriptor.is_foreign() && network_.descriptor->is_open()) close();
}

bool TlsTunnel::take() {
    if (network_.descriptor.is_foreign() || !network_.descriptor->is_open()) return false;
    closing_ = true;
    return read_c_client();
}

void TlsTunnel::end_answers() {
    if (!network_.descriptor.is_foreign() && c_client_.descriptor->is_open()) ::shutdown(c_client_.fd(), SHUT_WR);
}

void TlsTunnel::finish(std::chrono::milliseconds sending, std::chrono::milliseconds answering) {
    if (network_.descriptor.is_foreign() || !network_.descriptor->is_open()) return;
    said_end_ = true; // the server closes the connection after its answer
    auto end = std::chrono::steady_clock::now() + sending;
    bool sent = false;
    c_client_.broken = true; // the C client has closed its end
    for (carry(); !network_.ended && !network_.broken; carry()) {
        const auto now = std::chrono::steady_clock::now();
        if (!sent && !wants_c_client() && engine_->backlog() == 0) {
            sent = true;
            end = now + answering;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now);
        if (left.count() <= 0) break;
        const int network_events = POLLIN | (engine_->outgoing().empty() ? 0 : POLLOUT);
        std::array<pollfd, 2> polled{
            {{network_.fd(), static_cast<short>(network_events), 0}, {wants_c_client() ? c_client_.fd() : -1, POLLIN, 0}}};
        ::poll(polled.data(), polled.size(), static_cast<int>(left.count()));
    }
    close();
}

} // namespace docent::zk
