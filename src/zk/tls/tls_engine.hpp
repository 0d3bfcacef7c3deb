// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace docent::zk {

/// Why TLS has failed.
struct TlsFault {
    std::string text;     // for users; empty without a fault
    bool lasting = false; // waiting does not help: a certificate or a configuration must change first
    friend bool operator==(const TlsFault&, const TlsFault&) = default;
};

/// The client's end of one TLS connection, without I/O: takes and returns bytes of both sides.
class TlsEngine {
public:
    enum class State {
        handshake,
        open,
        ended, // the server has ended its side
        failed // see fault()
    };

    /// `ssl` is prepared for one connection. `context` lives as long as this object. `host` names the server in messages.
    TlsEngine(SSL* ssl, std::shared_ptr<void> context, std::string host);
    ~TlsEngine();
    TlsEngine(const TlsEngine&) = delete;
    TlsEngine& operator=(const TlsEngine&) = delete;

    State state() const { return state_; }
    const TlsFault& fault() const { return fault_; }

    /// Begins the handshake.
    void start() { advance(); }
    /// Takes bytes from the network.
    void receive(std::string_view encrypted);
    /// The network has ended.
    void on_network_end();
    /// Takes bytes for the server, once the connection is open.
    void send(std::string_view plain);
    /// Ends this side: the server learns that no more bytes follow.
    void end();

    /// The encrypted bytes for the network, and the decrypted bytes from the server. The caller takes bytes from the front, and
    /// erases them from the string.
    std::string& outgoing() { return outgoing_; }
    std::string& incoming() { return incoming_; }
    /// The number of bytes for the network, with those that cannot be encrypted yet.
    std::size_t backlog() const { return outgoing_.size() + (state_ == State::open ? unencrypted_.size() : 0); }

private:
    void advance();
    void encrypt();
    void fail(int ssl_error);
    TlsFault explain(int ssl_error) const;

    struct Free {
        void operator()(SSL* ssl) const { SSL_free(ssl); }
    };
    std::shared_ptr<void> context_;
    std::unique_ptr<SSL, Free> ssl_;
    std::string host_;
    BIO* from_network_; // owned by ssl_
    BIO* to_network_;   // owned by ssl_
    State state_ = State::handshake;
    TlsFault fault_;
    std::string unencrypted_; // for the server
    std::string outgoing_;
    std::string incoming_;
};

} // namespace docent::zk
