// SPDX-License-Identifier: Apache-2.0
#include "session/connect_string.hpp"

#include <gtest/gtest.h>

namespace docent::session {
namespace {

ConnectString parse(std::string_view text) {
    std::string fault;
    ConnectString result = parse_connect_string(text, fault);
    EXPECT_EQ(fault, "") << text;
    return result;
}

TEST(ConnectString, ServersAndChroot) {
    EXPECT_EQ(parse("a:1,b:2/app/x"), (ConnectString{{{"a", 1}, {"b", 2}}, "/app/x"}));
    EXPECT_EQ(parse("a"), (ConnectString{{{"a", 2181}}, ""}));
    EXPECT_EQ(parse(" a:1 , b:2"), (ConnectString{{{"a", 1}, {"b", 2}}, ""}));
    EXPECT_EQ(parse("a:1/"), (ConnectString{{{"a", 1}}, ""}));
}

TEST(ConnectString, IPv6) {
    EXPECT_EQ(parse("[::1]:2182,[fe80::1%eth0]"), (ConnectString{{{"::1", 2182}, {"fe80::1%eth0", 2181}}, ""}));
    EXPECT_EQ(parse("::1"), (ConnectString{{{"::1", 2181}}, ""}));
}

std::string fault_of(std::string_view text) {
    std::string fault;
    parse_connect_string(text, fault);
    return fault;
}

TEST(ConnectString, ExplainsMistakes) {
    EXPECT_EQ(fault_of(""), "the connect string names no server; it should look like host:2181,host:2181");
    EXPECT_EQ(fault_of("/app"), "the connect string names no server; it should look like host:2181,host:2181");
    for (const char* text : {",", "a:1,", ",a:1", "a:1,,b:1", "a:1, ,b:1"}) {
        EXPECT_EQ(fault_of(text), "the connect string has a comma with no server beside it") << text;
    }
    for (const char* text :
         {":", ":2181", "::::", ":::", "1:2:3", "a:1:2", "[::1", "[::1]2181", "a b", "a b:1", "a;b:1", "[]a"}) {
        EXPECT_NE(fault_of(text).find('\'' + std::string(text) + "' is not a server: "), std::string::npos) << text;
    }
    for (const char* text : {"[]:2181", "[a]:2181", "[::::]:2181", "[1.2.3.4]:2181"}) {
        EXPECT_EQ(fault_of(text), '\'' + std::string(text) + "' is not a server: the text in brackets must be an IPv6 address");
    }
}

TEST(ConnectString, HasNoOtherScheme) {
    EXPECT_EQ(fault_of("zk://a:1"), "the connect string begins with 'zk://'; it should look like host:2181,host:2181");
    for (const char* text : {"ssl://a:1/app", "zookeeper+ssl://a", "zks://a:1,b:1", "tls://tls://a:1"}) {
        EXPECT_NE(fault_of(text).find(", for TLS like tls://host:2281,host:2281"), std::string::npos) << text;
    }
}

TEST(ConnectString, MayAskForTls) {
    std::string fault;
    const ConnectString parsed = parse_connect_string("tls://a:1,[::1]:2/app", fault);
    EXPECT_EQ(fault, "");
    EXPECT_EQ(parsed, (ConnectString{.servers = {{"a", 1}, {"::1", 2}}, .chroot = "/app", .tls = true}));
}

TEST(ConnectString, APortIsANumberThatTcpHas) {
    for (const char* text : {"a:", "a:0", "a:65536", "a:99999999999", "a:-1", "a:+1", "a:x", "a:1x", "[::1]:", "[::1]:65536"}) {
        EXPECT_EQ(fault_of(text), '\'' + std::string(text) + "' is not a server: its port is not a number from 1 to 65535");
    }
    EXPECT_EQ(fault_of("a:65535,[::1]:1"), "");
}

TEST(ConnectString, AChrootIsAPath) {
    for (const char* text : {"a:1/b/", "a:1//", "a:1/b//c", "a:1/./b"}) {
        EXPECT_EQ(fault_of(text).rfind("the connect string's chroot: '/", 0), 0u) << text << ": " << fault_of(text);
    }
}

TEST(ConnectString, AChrootBehindEachServerIsRefused) { // older pages of Kafka write it so
    for (const char* text : {"a:1/app,b:2/app", "a:1/app,b:2", "a/app,b/app", "a/app,b", "a:1/app,"}) {
        EXPECT_EQ(fault_of(text),
                  "the connect string has a chroot before a comma ('/app,'); write the chroot once, after the last "
                  "server: host:2181,host:2181/app")
            << text;
    }
    EXPECT_EQ(fault_of("a:1/,b:2/").rfind("the connect string has a chroot before a comma ('/,')", 0), 0u);
}

TEST(ConnectString, EvenListsAreMadeOddForTheCClient) {
    EXPECT_EQ(to_server_list({{"1.1.1.1", 1}}), "1.1.1.1:1");
    EXPECT_EQ(to_server_list({{"1.1.1.1", 1}, {"::1", 2}}), "1.1.1.1:1,::1:2,1.1.1.1:1");
    EXPECT_EQ(to_server_list({{"a", 1}, {"b", 2}, {"c", 3}}), "a:1,b:2,c:3");
    EXPECT_EQ(to_server_list({}), "");
}

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

TEST(EnsembleConfig, PortsForTlsAreTheThirdPart) {
    constexpr auto config = "server.1=zk1:2888:3888:participant;2181;2281\n"
                            "server.2=zk2:2888:3888;;10.0.0.2:2282\n"
                            "server.3=zk3:2888:3888;2183\n";
    EXPECT_EQ(client_addresses(config), (Servers{{"zk1", 2181}, {"zk3", 2183}}));
    EXPECT_EQ(client_addresses(config, ClientPort::tls), (Servers{{"zk1", 2281}, {"10.0.0.2", 2282}}));
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
