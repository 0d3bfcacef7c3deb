// SPDX-License-Identifier: Apache-2.0
#include "zk/tls/tls_engine.hpp"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <array>
#include <climits>
#include <new>
#include <utility>

namespace docent::zk {
namespace {

constexpr std::size_t one_record = 16U << 10U;

std::string text_of(unsigned long error) {
    const char* const reason = ERR_reason_error_string(error);
    return reason != nullptr ? reason : "TLS error " + std::to_string(error);
}

/// The number of the alert that the server sent; -1 if the error is not an alert (RFC 8446, section 6).
int alert_of(unsigned long error) {
    const int reason = ERR_GET_REASON(error);
    const bool is_alert =
        ERR_GET_LIB(error) == ERR_LIB_SSL && reason >= SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256;
    return is_alert ? reason - SSL_AD_REASON_OFFSET : -1;
}

/// Whether the server says that it has no version of TLS in common with this client, or has chosen a version that is too old.
bool is_about_version(unsigned long error) {
    const bool too_old = ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_UNSUPPORTED_PROTOCOL;
    return too_old || alert_of(error) == SSL_AD_PROTOCOL_VERSION;
}

/// Whether the server refuses this client's certificate, or needs one. After server and client have agreed on a cipher,
/// handshake_failure means that the server needs a certificate (RFC 5246, section 7.4.6).
bool is_about_our_certificate(int alert, bool cipher_is_chosen) {
    if (alert == SSL_AD_HANDSHAKE_FAILURE) return cipher_is_chosen;
    constexpr std::array refusals = {SSL_AD_BAD_CERTIFICATE,     SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_REVOKED,
                                     SSL_AD_CERTIFICATE_EXPIRED, SSL_AD_CERTIFICATE_UNKNOWN,     SSL_AD_UNKNOWN_CA,
                                     SSL_AD_CERTIFICATE_REQUIRED};
    return std::find(refusals.begin(), refusals.end(), alert) != refusals.end();
}

/// Whether only a change of a configuration helps: the server has no cipher in common with this client, denies access, or does
/// not know the host name that this client asks for.
bool is_about_configuration(int alert) {
    constexpr std::array refusals = {SSL_AD_HANDSHAKE_FAILURE, SSL_AD_INSUFFICIENT_SECURITY, SSL_AD_ACCESS_DENIED,
                                     SSL_AD_UNRECOGNIZED_NAME};
    return std::find(refusals.begin(), refusals.end(), alert) != refusals.end();
}

} // namespace

TlsEngine::TlsEngine(SSL* ssl, std::shared_ptr<void> context, std::string host)
    : context_(std::move(context)), ssl_(ssl), host_(std::move(host)), from_network_(BIO_new(BIO_s_mem())),
      to_network_(BIO_new(BIO_s_mem())) {
    if (from_network_ == nullptr || to_network_ == nullptr) {
        BIO_free(from_network_);
        BIO_free(to_network_);
        throw std::bad_alloc();
    }
    BIO_set_mem_eof_return(from_network_, -1); // an empty buffer means that more bytes may follow
    SSL_set_bio(ssl, from_network_, to_network_);
    SSL_set_mode(ssl, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER); // bytes may be added before OpenSSL takes them
    SSL_set_connect_state(ssl);
}

/// Marks the connection as shut down: OpenSSL never resumes the session of a connection that was not. Most connections end
/// because the server has ended, without a shutdown.
TlsEngine::~TlsEngine() {
    if (state_ != State::failed) SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

void TlsEngine::receive(std::string_view encrypted) {
    if (state_ == State::ended || state_ == State::failed) return;
    while (!encrypted.empty()) {
        const int written =
            BIO_write(from_network_, encrypted.data(), static_cast<int>(std::min<std::size_t>(encrypted.size(), INT_MAX)));
        if (written <= 0) throw std::bad_alloc();
        encrypted.remove_prefix(static_cast<std::size_t>(written));
    }
    advance();
}

/// A server with too many connections ends the handshake in the same way as a port without TLS does, so waiting may help.
void TlsEngine::on_network_end() {
    if (state_ == State::open) state_ = State::ended;
    if (state_ != State::handshake) return;
    state_ = State::failed;
    fault_ = {.text = "hung up during the TLS handshake: no port for TLS, or too many connections"};
}

void TlsEngine::send(std::string_view plain) {
    unencrypted_ += plain;
    advance();
}

void TlsEngine::end() {
    ERR_clear_error();
    if (state_ == State::open || state_ == State::ended) SSL_shutdown(ssl_.get());
    advance();
}

/// Reads the bytes from the network, encrypts those for the server, and collects the bytes for the network.
void TlsEngine::advance() {
    ERR_clear_error();
    if (state_ == State::handshake) {
        const int rc = SSL_do_handshake(ssl_.get());
        if (rc == 1) state_ = State::open;
        else if (const int error = SSL_get_error(ssl_.get(), rc); error != SSL_ERROR_WANT_READ) fail(error);
    }
    std::array<char, one_record> bytes; // not initialised: it is filled before each use
    while (state_ == State::open) {
        const int count = SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
        if (count > 0) {
            incoming_.append(bytes.data(), static_cast<std::size_t>(count));
            continue;
        }
        const int error = SSL_get_error(ssl_.get(), count);
        if (error == SSL_ERROR_ZERO_RETURN) state_ = State::ended;
        else if (error != SSL_ERROR_WANT_READ) fail(error);
        break;
    }
    encrypt();
    for (int count = 0; (count = BIO_read(to_network_, bytes.data(), static_cast<int>(bytes.size()))) > 0;) {
        outgoing_.append(bytes.data(), static_cast<std::size_t>(count));
    }
}

/// A server with TLS 1.3 may send a session ticket at any time. While a ticket has arrived only in part, OpenSSL encrypts
/// nothing, and the bytes wait.
void TlsEngine::encrypt() {
    while (!unencrypted_.empty() && state_ == State::open) {
        const std::size_t most = std::min<std::size_t>(unencrypted_.size(), INT_MAX);
        const int written = SSL_write(ssl_.get(), unencrypted_.data(), static_cast<int>(most));
        if (written > 0) {
            unencrypted_.erase(0, static_cast<std::size_t>(written));
        } else {
            const int error = SSL_get_error(ssl_.get(), written);
            if (error == SSL_ERROR_WANT_READ) return;
            fail(error);
        }
    }
}

void TlsEngine::fail(int ssl_error) {
    fault_ = explain(ssl_error);
    state_ = State::failed;
}

TlsFault TlsEngine::explain(int ssl_error) const {
    const unsigned long error = ERR_peek_error();
    if (const long verified = SSL_get_verify_result(ssl_.get()); verified != X509_V_OK) {
        if (verified == X509_V_ERR_HOSTNAME_MISMATCH) return {"its certificate is not for " + host_, true};
        return {std::string("its certificate is refused: ") + X509_verify_cert_error_string(verified),
                verified != X509_V_ERR_CERT_NOT_YET_VALID};
    }
    if (ssl_error != SSL_ERROR_SSL || error == 0) return {"TLS failed"};
    if (ERR_GET_REASON(error) == SSL_R_WRONG_VERSION_NUMBER) return {"it does not speak TLS", true};
    if (is_about_version(error)) return {"it has no version of TLS in common with this client, which needs 1.2 or newer", true};
    const int alert = alert_of(error);
    const bool cipher_is_chosen = SSL_get_pending_cipher(ssl_.get()) != nullptr;
    if (is_about_our_certificate(alert, cipher_is_chosen))
        return {"it refuses the client's certificate: " + text_of(error), true};
    if (alert >= 0) return {"it refuses the TLS connection: " + text_of(error), is_about_configuration(alert)};
    return {"TLS failed: " + text_of(error)};
}

} // namespace docent::zk
