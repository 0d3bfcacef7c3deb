// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"
#include "zk/event_loop.hpp"
#include "zk/tls/tls_engine.hpp"

#include <docent/detail/process_owned.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <chrono>
#include <memory>

namespace docent::zk {

/// Carries the bytes of the C client through TLS. The C client's descriptor stands for one end of a pair of sockets; the tunnel
/// has the other end, and the socket to the server. It lives until both sides have ended. On the client's strand.
class TlsTunnel : public EventLoop::Tunnel, public std::enable_shared_from_this<TlsTunnel> {
public:
    /// Puts the tunnel in the place of the connected socket that `c_descriptor` stands for, and begins the handshake.
    /// `on_handshake` is called when it has ended. Returns null and sets `ec` if no descriptor is left, or if
    /// the socket is not connected.
    static std::shared_ptr<TlsTunnel> begin(const asio::any_io_executor& strand, int c_descriptor,
                                            std::unique_ptr<TlsEngine> engine, EventLoop::Handler on_handshake, error_code& ec);

    TlsTunnel(std::unique_ptr<TlsEngine> engine, EventLoop::Handler on_handshake, asio::posix::stream_descriptor network,
              asio::posix::stream_descriptor c_client, ino_t near_end);

    bool open() const override { return engine_->state() == TlsEngine::State::open; }
    bool is_at(int fd) const override { return posix::socket_of(fd) == near_end_; }
    const TlsFault& fault() const override { return engine_->fault(); }
    void carry_on() override {
        if (open()) step(); // the end of the handshake is reported only from its own handlers
    }
    void abandon() override;
    bool take() override;
    void end_answers() override;
    void finish(std::chrono::milliseconds sending, std::chrono::milliseconds answering) override;

private:
    /// One of the two descriptors.
    struct Side {
        explicit Side(asio::posix::stream_descriptor d)
            : descriptor(std::make_shared<asio::posix::stream_descriptor>(std::move(d))) {}
        int fd() const { return descriptor->native_handle(); }

        detail::ProcessOwned<asio::posix::stream_descriptor> descriptor;
        bool reading = false;
        bool writing = false;
        bool ended = false;  // no more bytes arrive
        bool broken = false; // no more bytes can be sent
    };

    void step();
    void carry();
    void read_network();
    bool read_c_client();
    void write_network();
    void write_c_client();
    bool wants_c_client() const;
    void arm();
    void close();
    void wait(Side& side, bool Side::*waiting, asio::posix::stream_descriptor::wait_type what);

    std::unique_ptr<TlsEngine> engine_;
    EventLoop::Handler on_handshake_; // empty when it was called
    Side network_;
    Side c_client_;
    ino_t near_end_;        // the inode of the C client's end of the pair
    bool said_end_ = false; // this side of TLS was ended
    bool closing_ = false;  // the C client is about to close its end
};

} // namespace docent::zk
