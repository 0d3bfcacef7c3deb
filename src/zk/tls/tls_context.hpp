// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/boot_clock.hpp"
#include "zk/tls/tls_engine.hpp"

#include <docent/tls.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::zk {

/// The hosts of each address (`1.2.3.4:2281`, `::1:2281`): the names of the server in the connect string or in the ensemble's
/// configuration, or the address itself.
using HostsOfAddress = std::map<std::string, std::vector<std::string>, std::less<>>;

/// What all TLS connections of a client have in common: the certificates, the names of the servers, and the sessions that can
/// be resumed. All members are called on the client's strand; check() is called before the strand uses the object.
class TlsContext {
public:
    using Clock = std::function<BootClock::time_point()>;

    explicit TlsContext(TlsConfig config, Clock now = &BootClock::now) : config_(std::move(config)), now_(std::move(now)) {}

    /// Why the files cannot be used, as a text for users that names the file; else empty.
    std::string check();

    /// Adds hosts of addresses. The server's certificate must fit one host of its address, because the user trusts them all.
    /// Older hosts stay: an attempt may still use an older list of servers.
    void add_hosts(const HostsOfAddress& hosts);

    /// Begins a connection with the server at this address. Reads the files again if they have changed, and at least once an
    /// hour. If the files cannot be used, the connection uses the files that were read before; if those are older than an hour,
    /// no session is resumed. Returns null, and sets `fault`, if no usable files were read yet, or if the server has no name
    /// that a certificate can have.
    std::unique_ptr<TlsEngine> connect(const std::string& address, std::string& fault);

private:
    struct Loaded;
    std::string load();
    std::vector<std::string> sources() const;
    std::vector<std::string> hosts_of(const std::string& address) const;

    TlsConfig config_;
    Clock now_;
    HostsOfAddress hosts_;           // by address; the newest first
    std::shared_ptr<Loaded> loaded_; // null until usable files were read
};

} // namespace docent::zk
