// SPDX-License-Identifier: Apache-2.0
#include "zk/tls/tls_context.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <sys/stat.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <new>
#include <system_error>
#include <utility>

namespace docent::zk {
namespace {

/// Why OpenSSL could not use the file.
std::string fault_of(const std::string& what, const std::string& file) {
    const unsigned long error = ERR_peek_error();
    const bool of_system = ERR_SYSTEM_ERROR(error);
    const char* const text = of_system ? nullptr : ERR_reason_error_string(error);
    const std::string reason = of_system         ? std::generic_category().message(ERR_GET_REASON(error))
                               : text != nullptr ? text
                                                 : "unknown error";
    return "cannot use the " + what + " " + file + ": " + reason;
}

/// The host in `host:port`.
std::string host_in(const std::string& address) {
    return address.substr(0, address.rfind(':'));
}

/// What changes when a file is replaced or written.
using FileState = std::array<std::int64_t, 7>;
FileState state_of(const std::string& file) {
    struct stat status {};
    if (file.empty() || ::stat(file.c_str(), &status) != 0) return {};
    return {static_cast<std::int64_t>(status.st_dev),
            static_cast<std::int64_t>(status.st_ino),
            status.st_size,
            status.st_mtim.tv_sec,
            status.st_mtim.tv_nsec,
            status.st_ctim.tv_sec,
            status.st_ctim.tv_nsec};
}

// A resumed session is not checked again, so sessions are forgotten after this time.
constexpr std::chrono::hours longest_use{1};

/// Sets the name that the certificate must have. Returns false if a certificate cannot have it.
bool require_host(SSL* ssl, const std::string& host, bool is_address) {
    X509_VERIFY_PARAM* const check = SSL_get0_param(ssl);
    X509_VERIFY_PARAM_set_hostflags(check, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    if (host.empty()) return false; // OpenSSL would check nothing
    return (is_address ? X509_VERIFY_PARAM_set1_ip_asc(check, host.c_str())
                       : X509_VERIFY_PARAM_set1_host(check, host.c_str(), host.size())) == 1;
}

} // namespace

/// The files as they were read, with the sessions that began with them.
struct TlsContext::Loaded {
    struct FreeContext {
        void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    };
    struct FreeSession {
        void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
    };

    /// OpenSSL calls it when the server has sent a session that can be resumed.
    static int on_session(SSL* ssl, SSL_SESSION* session) {
        auto* const loaded = static_cast<Loaded*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
        const auto* const key = static_cast<const std::string*>(SSL_get_app_data(ssl));
        loaded->sessions[*key].reset(session);
        return 1; // keeps the reference
    }

    std::vector<FileState> files;
    std::chrono::steady_clock::time_point read_at = std::chrono::steady_clock::now();
    std::unique_ptr<SSL_CTX, FreeContext> context;
    std::map<std::string, std::unique_ptr<SSL_SESSION, FreeSession>> sessions; // by host and address; entries stay
};

std::string TlsContext::load() {
    auto loaded = std::make_shared<Loaded>();
    // Before the files are read, so that no change is missed.
    for (const std::string& file : {config_.ca_file, config_.certificate_file, config_.key_file}) {
        loaded->files.push_back(state_of(file));
    }
    if (loaded_ && loaded_->files == loaded->files && loaded->read_at - loaded_->read_at < longest_use) return {};
    if (!config_.key_file.empty() && config_.certificate_file.empty()) return "there is a key, and no certificate";
    ERR_clear_error();
    loaded->context.reset(SSL_CTX_new(TLS_client_method()));
    SSL_CTX* const context = loaded->context.get();
    if (context == nullptr) throw std::bad_alloc();
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    bool asked = false; // for a passphrase; otherwise OpenSSL asks at the terminal
    SSL_CTX_set_default_passwd_cb_userdata(context, &asked);
    SSL_CTX_set_default_passwd_cb(context, [](char*, int, int, void* has_asked) {
        *static_cast<bool*>(has_asked) = true;
        return -1;
    });
    if (const std::string& file = config_.ca_file; file.empty()) {
        if (SSL_CTX_set_default_verify_paths(context) != 1) return "cannot use the system's certificate authorities";
    } else if (SSL_CTX_load_verify_locations(context, file.c_str(), nullptr) != 1) {
        return fault_of("CA file", file);
    }
    if (const std::string& file = config_.certificate_file; !file.empty()) {
        if (SSL_CTX_use_certificate_chain_file(context, file.c_str()) != 1) return fault_of("certificate", file);
        const std::string& key = config_.key_file.empty() ? file : config_.key_file;
        const bool has_key = SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) == 1;
        if (!has_key && asked) return "cannot use the key " + key + ": it has a passphrase";
        if (!has_key || SSL_CTX_check_private_key(context) != 1) return fault_of("key", key);
    }
    SSL_CTX_set_default_passwd_cb_userdata(context, nullptr);
    SSL_CTX_set_app_data(context, loaded.get());
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, &Loaded::on_session);
    loaded_ = std::move(loaded);
    return {};
}

std::string TlsContext::check() {
    return load();
}

void TlsContext::set_hosts(std::map<std::string, std::string, std::less<>> hosts) {
    hosts.merge(hosts_);
    hosts_ = std::move(hosts);
}

std::unique_ptr<TlsEngine> TlsContext::connect(const std::string& address, std::string& fault) {
    fault = load();
    if (!loaded_) return nullptr;
    fault.clear();
    SSL* const ssl = SSL_new(loaded_->context.get());
    if (ssl == nullptr) throw std::bad_alloc();
    const auto known = hosts_.find(address);
    std::string host = known != hosts_.end() ? known->second : host_in(address);
    if (host.ends_with('.')) host.pop_back(); // certificates have no dot at the end
    auto engine = std::make_unique<TlsEngine>(ssl, loaded_, host);
    boost::system::error_code not_numeric;
    boost::asio::ip::make_address(host, not_numeric);
    if (config_.check_host && !require_host(ssl, host, !not_numeric)) {
        fault = "no certificate can name the server '" + host + "'";
        return nullptr;
    }
    if (not_numeric) SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data());
    const auto session = loaded_->sessions.try_emplace(host + ' ' + address).first;
    SSL_set_app_data(ssl, const_cast<std::string*>(&session->first));
    // Each session is used once: if this connection fails, the next one begins anew.
    if (const auto resumed = std::exchange(session->second, nullptr)) SSL_set_session(ssl, resumed.get());
    return engine;
}

} // namespace docent::zk
