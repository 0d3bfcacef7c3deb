// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace docent {

/// How a Client speaks TLS with the servers. By default, it trusts the system's certificate authorities, checks the name of the
/// server, and shows no certificate of its own.
/// ```cpp
/// docent::ClientConfig config{.connect_string = "zk1.example.org:2281,zk2.example.org:2281",
///                             .tls = docent::TlsConfig{.ca_file = "/etc/ssl/zookeeper-ca.pem",
///                                                      .certificate_file = "/etc/ssl/client.pem",
///                                                      .key_file = "/etc/ssl/private/client.key"}};
/// ```
/// The protocol is TLS 1.2 or newer, or as new as OpenSSL's configuration demands. OpenSSL chooses the ciphers. The client
/// reads the files at Client::start(), and again for the first connection after they have changed, so certificates are replaced
/// without a restart. While the new files cannot be used, the old ones remain in use. Client::start() throws
/// `error::invalid_config` for files that cannot be used.
///
/// If each server of the list refuses the client's certificate, shows a certificate that the client refuses, or answers in
/// another protocol, waiting for the first connection is useless: operations that wait for it end at once with
/// `error::tls_failed`. The client pauses for about a second (up to 5 s with relaxed heartbeats), and then tries all servers
/// again. A client that was connected before waits as in any outage, because certificates may just be replaced.
/// @ingroup client
struct TlsConfig {
    /// A PEM file with the certificates of the root authorities that servers' certificates lead to; empty for the system's.
    std::string ca_file = {};

    /// A PEM file with the client's certificate and those between it and its authority; empty for none. Servers with
    /// `ssl.clientAuth=need`, the default of ZooKeeper, require one.
    std::string certificate_file = {};

    /// A PEM file with the private key of that certificate, without a passphrase; empty if the key is in `certificate_file`.
    std::string key_file = {};

    /// Whether the certificate must name the server, as a DNS name or an IP address in its subjectAltName: the host of the
    /// connect string, or of the ensemble's configuration. If several hosts have the same address and port, one of them is
    /// enough.
    ///
    /// Without the check, each owner of a certificate of the same authority can answer in place of ZooKeeper.
    bool check_host = true;

    /// Compares all fields.
    friend bool operator==(const TlsConfig&, const TlsConfig&) = default;
};

} // namespace docent
