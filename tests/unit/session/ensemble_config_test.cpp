// SPDX-License-Identifier: Apache-2.0
#include "session/connect_string.hpp"

#include <gtest/gtest.h>

namespace docent::session {
namespace {

using Servers = std::vector<HostPort>;

TEST(EnsembleConfig, ServersSayWhereTheyListen) {
    EXPECT_EQ(client_addresses("server.1=zk1:2888:3888:participant;2181\n"
                               "server.2=zk2:2888:3888:observer;10.0.0.2:2182\n"
                               "version=100000003"),
              (Servers{{"zk1", 2181}, {"10.0.0.2", 2182}}));
}

TEST(EnsembleConfig, AllInterfacesMeansTheServersOwnHost) {
    EXPECT_EQ(client_addresses("server.1=zk1:2888:3888:participant;0.0.0.0:2181"), (Servers{{"zk1", 2181}}));
    EXPECT_EQ(client_addresses("server.1=[2001:db8::1]:2888:3888;[::]:2181"), (Servers{{"2001:db8::1", 2181}}));
    EXPECT_EQ(client_addresses("server.1=zk1:2888:3888;[0:0:0:0:0:0:0:0]:2181"), (Servers{{"zk1", 2181}}));
}

TEST(EnsembleConfig, ServersWithSeveralAddresses) {
    EXPECT_EQ(client_addresses("server.1=net1:2888:3888|net2:2888:3888:participant;0.0.0.0:2181"), (Servers{{"net1", 2181}}));
}

TEST(EnsembleConfig, UnknownLinesAreLeftOut) {
    EXPECT_EQ(client_addresses(""), Servers{});
    EXPECT_EQ(client_addresses("version=0"), Servers{});
    EXPECT_EQ(client_addresses("server.1=zk1:2888:3888:participant"), Servers{}) << "its port is in the server's own file";
    EXPECT_EQ(client_addresses("server.1=zk1:2888:3888;\nserver.2=zk2:1:2;port\nserver.3=;2181\nserver.4;=2181\n=;\n\r\n;"),
              Servers{});
    EXPECT_EQ(client_addresses("server.1=zk1:2888:3888;99999"), Servers{});
    EXPECT_EQ(client_addresses("server.1=zk1:2888:3888;a,b:2181\nserver.2=a/b:2888:3888;2181"), Servers{}) << "no hosts";
}

TEST(EnsembleConfig, ConnectStringsAreReadAsTheyAreWritten) {
    const Servers servers{{"zk1", 2181}, {"2001:db8::1", 2182}};
    std::string fault;
    EXPECT_EQ(parse_connect_string(to_connect_string(servers), fault).servers, servers);
    EXPECT_EQ(fault, "");
}

} // namespace
} // namespace docent::session
