// SPDX-License-Identifier: Apache-2.0

// A server with a TLS port, and a stunnel beside the client: the set-up of docs/how-to/tls.md.

#include "folder.hpp"
#include "started.hpp"
#include "testing/ports.hpp"
#include "testing/process/child_process.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/testing/testing_server.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <signal.h>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::Folder;
using docent::testing::ChildProcess;
using docent::testing::PortLease;
using docent::testing::ServerOptions;
using docent::testing::TestingServer;

constexpr auto stunnel = "/usr/bin/stunnel4";

/// The jars that Netty needs for TLS and that Debian's zookeeper.jar does not name.
std::string netty_on_boot_path() {
    std::string path = "-Xbootclasspath/a";
    char separator = ':';
    for (const char* part : {"buffer", "common", "transport", "transport-native-unix-common", "transport-native-epoll",
                             "handler", "codec", "resolver"}) {
        path += separator + std::string("/usr/share/java/netty-") + part + ".jar";
    }
    return path;
}

/// Two certificate authorities. The first has signed for a server and a client.
constexpr auto certificates = R"(
set -e
key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
for ca in ca other; do openssl req -x509 $key -days 2 -keyout $ca.key -out $ca.pem -subj "/CN=$ca"; done
printf 'subjectAltName=DNS:zk.example\n' >names
for who in server client; do
    openssl req $key -keyout $who.key -out $who.csr -subj "/CN=$who"
    openssl x509 -req -in $who.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out $who.pem
done
cat server.key server.pem >keystore.pem
)";

class TlsTunnel : public ::testing::Test {
protected:
    Folder folder;
    PortLease secure;
    PortLease local;
    std::optional<TestingServer> server;
    ChildProcess tunnel;

    void SetUp() override {
        if (!std::filesystem::exists(stunnel) || !std::filesystem::exists("/usr/share/java/netty-codec.jar")) {
            GTEST_SKIP() << "stunnel4 and libnetty-java are not here";
        }
        std::ofstream(folder / "make.sh") << certificates;
        ASSERT_EQ(std::system(("cd " + folder.path().string() + " && sh make.sh >make.log 2>&1").c_str()), 0);
        ServerOptions options;
        options.java_options = {netty_on_boot_path()};
        options.properties = {{"secureClientPort", std::to_string(secure.port())},
                              {"secureClientPortAddress", "127.0.0.1"},
                              {"serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory"},
                              {"ssl.keyStore.location", folder / "keystore.pem"},
                              {"ssl.keyStore.type", "PEM"},
                              {"ssl.trustStore.location", folder / "ca.pem"},
                              {"ssl.trustStore.type", "PEM"},
                              {"ssl.clientAuth", "need"}};
        server.emplace(options);
    }
    ~TlsTunnel() override {
        if (!tunnel.poll_running()) return;
        tunnel.send(SIGKILL);
        tunnel.wait_ended(10s);
    }
    /// Starts the tunnel as docs/how-to/tls.md shows it.
    void dig(const std::string& authority, const std::string& host) {
        std::ofstream(folder / "tunnel.conf")
            << "foreground = yes\npid =\nsyslog = no\n[zookeeper]\nclient = yes\naccept = 127.0.0.1:" << local.port()
            << "\nconnect = 127.0.0.1:" << secure.port() << "\nverifyChain = yes\nCAfile = " << (folder / authority).string()
            << "\ncheckHost = " << host << "\ncert = " << (folder / "client.pem").string()
            << "\nkey = " << (folder / "client.key").string() << '\n';
        tunnel = ChildProcess({stunnel, (folder / "tunnel.conf").string()});
    }
    ClientConfig through(std::uint16_t port) const {
        return {.connect_string = "127.0.0.1:" + std::to_string(port),
                .connection_timeout = 2s,
                .ensemble_tracking = EnsembleTracking::off}; // the servers name their own ports, which bypass the tunnel
    }
};

TEST_F(TlsTunnel, LocksWorkThroughIt) {
    dig("ca.pem", "zk.example");
    Client client = started(through(local.port()));
    client.wait_connected({.timeout = 60s});
    Lease lease = InterProcessMutex(client, "/locks/job").acquire();
    Client other = started({.connect_string = server->connect_string()});
    EXPECT_FALSE(InterProcessMutex(other, "/locks/job").try_acquire());
    lease.release();
    EXPECT_TRUE(InterProcessMutex(other, "/locks/job").try_acquire());
}

TEST_F(TlsTunnel, AServerWithAnotherNameIsRefused) {
    dig("other.pem", "zk.example");
    Client client = started(through(local.port()));
    error_code ec;
    client.exists("/", ec);
    EXPECT_EQ(ec, error::not_connected);
}

TEST_F(TlsTunnel, WithoutItTheTlsPortIsNoServer) {
    Client client = started(through(secure.port()));
    error_code ec;
    client.exists("/", ec);
    EXPECT_EQ(ec, error::not_connected);
}

} // namespace
} // namespace docent
