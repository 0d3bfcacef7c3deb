// SPDX-License-Identifier: Apache-2.0
#include "session/probe.hpp"

#include <gtest/gtest.h>

namespace docent::session {
namespace {

using zk::AttemptEnd;

TEST(FailedServers, EachServerHasItsReason) {
    FailedServers failed;
    EXPECT_EQ(failed.text("1.1.1.1:1"), "no answer from 1.1.1.1:1 (not tried yet)");
    failed.add({AttemptEnd::no_listener, "1.1.1.1:1"});
    EXPECT_EQ(failed.text("1.1.1.1:1,::1:2,1.1.1.1:1"), "no answer from 1.1.1.1:1 (connection refused), ::1:2 (not tried yet)");
    failed.add({AttemptEnd::not_zookeeper, "::1:2"});
    failed.add({AttemptEnd::refused, "1.1.1.1:1"});
    EXPECT_EQ(failed.text("1.1.1.1:1,::1:2,1.1.1.1:1"),
              "no answer from 1.1.1.1:1 (hung up: no quorum, or too many connections), ::1:2 (not ZooKeeper)");
    failed.add({AttemptEnd::silent, "1.1.1.1:1"});
    failed.add({AttemptEnd::unreachable, "::1:2"});
    EXPECT_EQ(failed.text("1.1.1.1:1,::1:2"), "no answer from 1.1.1.1:1 (connected, but silent), ::1:2 (no connection)");
}

TEST(FailedServers, AServerThatIsNotNamedMayBeAny) {
    FailedServers failed;
    failed.add({AttemptEnd::silent, ""});
    EXPECT_EQ(failed.text("1.1.1.1:1"), "no answer from 1.1.1.1:1 (connected, but silent)");
}

} // namespace
} // namespace docent::session
