// SPDX-License-Identifier: Apache-2.0
#include "session/probe.hpp"

#include <gtest/gtest.h>

namespace docent::session {
namespace {

using zk::AttemptEnd;

TEST(FailedServers, EachServerHasItsReason) {
    FailedServers failed;
    EXPECT_EQ(failed.text("1.1.1.1:1", false), "no answer from 1.1.1.1:1 (not tried yet)");
    failed.add({AttemptEnd::no_listener, "1.1.1.1:1"});
    EXPECT_EQ(failed.text("1.1.1.1:1,::1:2,1.1.1.1:1", false),
              "no answer from 1.1.1.1:1 (connection refused), ::1:2 (not tried yet)");
    failed.add({AttemptEnd::not_zookeeper, "::1:2"});
    failed.add({AttemptEnd::refused, "1.1.1.1:1"});
    EXPECT_EQ(failed.text("1.1.1.1:1,::1:2,1.1.1.1:1", false),
              "no answer from 1.1.1.1:1 (hung up: no quorum, too many connections, or a port for TLS), ::1:2 (not ZooKeeper)");
    EXPECT_EQ(failed.text("1.1.1.1:1", true), "no answer from 1.1.1.1:1 (hung up: no quorum, or too many connections)");
    failed.add({AttemptEnd::silent, "1.1.1.1:1"});
    failed.add({AttemptEnd::unreachable, "::1:2"});
    EXPECT_EQ(failed.text("1.1.1.1:1,::1:2", false), "no answer from 1.1.1.1:1 (connected, but silent), ::1:2 (no connection)");
}

TEST(FailedServers, AServerThatIsNotNamedMayBeAny) {
    FailedServers failed;
    failed.add({AttemptEnd::silent, ""});
    EXPECT_EQ(failed.text("1.1.1.1:1", false), "no answer from 1.1.1.1:1 (connected, but silent)");
}

TEST(FailedServers, TheCClientTellsAnAddressWithoutItsZone) {
    constexpr auto list = "fe80::1%eth0:2181";
    FailedServers failed;
    failed.add({AttemptEnd::no_tls, "fe80::1:2181", {"why", true}});
    EXPECT_EQ(failed.text(list, true), "no answer from fe80::1%eth0:2181 (why)");
    EXPECT_TRUE(failed.tls_fails_with_all(list));
}

TEST(FailedServers, TlsFailsWithAllOnlyIfWaitingHelpsWithNone) {
    const auto failure = [](const char* server, bool lasting) {
        return zk::FailedAttempt{AttemptEnd::no_tls, server, {"why", lasting}};
    };
    FailedServers failed;
    const auto all_fail = [&failed] { return failed.tls_fails_with_all("1.1.1.1:1,::1:2,1.1.1.1:1"); };
    EXPECT_FALSE(failed.tls_fails_with_all(""));
    failed.add(failure("1.1.1.1:1", true));
    EXPECT_FALSE(all_fail()) << "the other one was not tried";
    failed.add(failure("::1:2", false));
    EXPECT_FALSE(all_fail());
    failed.add(failure("::1:2", true));
    EXPECT_TRUE(all_fail());
    failed.add({AttemptEnd::no_listener, "1.1.1.1:1"});
    EXPECT_FALSE(all_fail()) << "the server may start";
    failed.add(failure("1.1.1.1:1", true));
    EXPECT_TRUE(all_fail());
    failed.begin_round();
    EXPECT_FALSE(all_fail());
    failed.add(failure("1.1.1.1:1", true));
    failed.add(failure("::1:2", true));
    EXPECT_TRUE(all_fail());
}

} // namespace
} // namespace docent::session
