// SPDX-License-Identifier: Apache-2.0
#include "zk/tls/tls_context.hpp"

#include <boost/algorithm/string/join.hpp>
#include <boost/asio/ip/address.hpp>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
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

/// The attributes of a file. At least one of them changes when the file is replaced or written.
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

/// Where OpenSSL looks for the system's authorities, unless a variable names another place.
std::string system_place(const char* variable, const char* usual) {
    const char* const set = ::secure_getenv(variable);
    return set != nullptr ? set : usual;
}

bool is_address(const std::string& host) {
    boost::system::error_code not_numeric;
    boost::asio::ip::make_address(host, not_numeric);
    return !not_numeric;
}

/// `host` is not empty.
bool is_for(X509* certificate, const std::string& host) {
    constexpr unsigned flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;
    return (is_address(host) ? X509_check_ip_asc(certificate, host.c_str(), flags)
                             : X509_check_host(certificate, host.data(), host.size(), flags, nullptr)) == 1;
}

} // namespace

/// The files as they were read, and the servers of the connections that use them.
struct TlsContext::Loaded {
    struct FreeContext {
        void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    };
    struct FreeSession {
        void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
    };

    /// An address with its hosts.
    struct Server {
        std::vector<std::string> hosts;
        std::unique_ptr<SSL_SESSION, FreeSession> session = nullptr; // can be resumed; its certificate fits one of the hosts
    };

    static Server& server_of(const SSL* ssl) { return *static_cast<Server*>(SSL_get_app_data(ssl)); }

    /// OpenSSL calls it when the server has sent a session that can be resumed.
    static int on_session(SSL* ssl, SSL_SESSION* session) {
        server_of(ssl).session.reset(session);
        return 1; // keeps the reference
    }

    /// OpenSSL calls it at each step of a handshake. A session that was resumed with TLS 1.2 can be resumed again, but OpenSSL
    /// does not call on_session() for it.
    static void on_step(const SSL* ssl, int step, int) {
        if (step != SSL_CB_HANDSHAKE_DONE || SSL_session_reused(ssl) != 1 || SSL_version(ssl) >= TLS1_3_VERSION) return;
        server_of(ssl).session.reset(SSL_get1_session(const_cast<SSL*>(ssl)));
    }

    /// OpenSSL calls it for each certificate of the server, from the authority's down to the server's own.
    static int on_certificate(int is_sound, X509_STORE_CTX* store) {
        if (is_sound == 0 || X509_STORE_CTX_get_error_depth(store) > 0) return is_sound;
        const void* const ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
        const auto& hosts = server_of(static_cast<const SSL*>(ssl)).hosts;
        X509* const own = X509_STORE_CTX_get_current_cert(store);
        if (std::any_of(hosts.begin(), hosts.end(), [own](const std::string& host) { return is_for(own, host); })) return 1;
        X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
        return 0;
    }

    bool is_old(BootClock::time_point now) const { return now - read_at >= longest_use; }

    std::vector<FileState> files;
    BootClock::time_point read_at;
    std::unique_ptr<SSL_CTX, FreeContext> context;
    std::map<std::string, Server> servers; // by hosts and address; entries stay
};

/// The files, and the folder of the system's authorities.
std::vector<std::string> TlsContext::sources() const {
    std::vector<std::string> all{config_.ca_file, config_.certificate_file, config_.key_file};
    if (config_.ca_file.empty()) {
        all.push_back(system_place(X509_get_default_cert_file_env(), X509_get_default_cert_file()));
        all.push_back(system_place(X509_get_default_cert_dir_env(), X509_get_default_cert_dir()));
    }
    return all;
}

std::string TlsContext::load() {
    auto loaded = std::make_shared<Loaded>();
    loaded->read_at = now_();
    for (const std::string& source : sources()) { // before they are read, so that no change is missed
        loaded->files.push_back(state_of(source));
    }
    if (loaded_ && loaded_->files == loaded->files && !loaded_->is_old(loaded->read_at)) return {};
    if (!config_.key_file.empty() && config_.certificate_file.empty())
        return "key_file is set, and certificate_file is not; set both";
    ERR_clear_error();
    loaded->context.reset(SSL_CTX_new(TLS_client_method()));
    SSL_CTX* const context = loaded->context.get();
    if (context == nullptr) throw std::bad_alloc();
    if (SSL_CTX_get_min_proto_version(context) < TLS1_2_VERSION) { // openssl.cnf may demand a newer one
        SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    }
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, config_.check_host ? &Loaded::on_certificate : nullptr);
    bool asked = false; // for a passphrase; without the callback below, OpenSSL would ask at the terminal
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
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, &Loaded::on_session);
    SSL_CTX_set_info_callback(context, &Loaded::on_step);
    loaded_ = std::move(loaded);
    return {};
}

std::string TlsContext::check() {
    return load();
}

void TlsContext::add_hosts(const HostsOfAddress& hosts) {
    for (const auto& [address, added] : hosts) {
        std::vector<std::string> all = added;
        for (std::string& old : hosts_[address]) {
            if (std::find(added.begin(), added.end(), old) == added.end()) all.push_back(std::move(old));
        }
        hosts_[address] = std::move(all);
    }
}

/// The hosts as certificates name them.
std::vector<std::string> TlsContext::hosts_of(const std::string& address) const {
    const auto known = hosts_.find(address);
    std::vector<std::string> hosts = known != hosts_.end() ? known->second : std::vector{host_in(address)};
    for (std::string& host : hosts) {
        if (host.ends_with('.')) host.pop_back(); // certificates have no dot at the end
    }
    std::erase(hosts, ""); // OpenSSL would check nothing
    return hosts;
}

std::unique_ptr<TlsEngine> TlsContext::connect(const std::string& address, std::string& fault) {
    fault = load();
    if (!loaded_) return nullptr;
    fault.clear();
    const std::vector<std::string> hosts = hosts_of(address);
    if (config_.check_host && hosts.empty()) {
        fault =
            "its address '" + address + "' has no host that a certificate could name; name the server in the connect string";
        return nullptr;
    }
    SSL* const ssl = SSL_new(loaded_->context.get());
    if (ssl == nullptr) throw std::bad_alloc();
    auto engine = std::make_unique<TlsEngine>(ssl, loaded_, boost::algorithm::join(hosts, " or "));
    const auto named = std::find_if_not(hosts.begin(), hosts.end(), &is_address);
    if (named != hosts.end()) { // SNI has room for one name
        std::string name = *named;
        SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data());
    }
    const std::string key = boost::algorithm::join(hosts, " ") + ' ' + address;
    Loaded::Server& server = loaded_->servers.try_emplace(key, Loaded::Server{hosts}).first->second;
    SSL_set_app_data(ssl, &server);
    // Each session is used once: if this connection fails, the next one begins anew.
    const auto resumed = std::exchange(server.session, nullptr);
    if (resumed && !loaded_->is_old(now_())) SSL_set_session(ssl, resumed.get());
    return engine;
}

} // namespace docent::zk
