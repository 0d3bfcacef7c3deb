// SPDX-License-Identifier: Apache-2.0
#include "peer.hpp"

#include "eventually.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace docent::test {
namespace {

using namespace std::chrono_literals;

TEST(JavaPeer, AnswersEachThreadInItsOrder) {
    JavaPeer java;
    java.send("a", "digest", {"of=user:one"});
    java.send("b", "digest", {"of=user:two"});
    java.send("a", "digest", {"of=user:three"});
    const std::string two = java.await("b")["id"], one = java.await("a")["id"], three = java.await("a")["id"];
    EXPECT_EQ(one, java.call("digest", {"of=user:one"})["id"]);
    EXPECT_EQ(two, java.call("digest", {"of=user:two"})["id"]);
    EXPECT_EQ(three, java.call("digest", {"of=user:three"})["id"]);
    EXPECT_NE(one, two);
    EXPECT_NE(one, three);
}

TEST(JavaPeer, ShowsWhetherItHasAnswered) {
    JavaPeer java;
    EXPECT_FALSE(java.has_answered("a"));
    java.send("a", "addresses", {});
    EXPECT_TRUE(eventually([&] { return java.has_answered("a"); }, JavaPeer::default_wait));
    EXPECT_FALSE(java.has_answered("b"));
    EXPECT_EQ(java.await("a").error, "");
    EXPECT_FALSE(java.has_answered("a"));
    java.kill();
    EXPECT_FALSE(java.has_answered("a"));
}

TEST(JavaPeer, ReportsErrors) {
    JavaPeer java;
    EXPECT_EQ(java.call("no-such-verb").error, "IllegalArgumentException");
    try {
        java.await("main", 10ms); // the peer has answered already
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string(e.what()).find("does not answer"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("no such verb: no-such-verb"), std::string::npos) << e.what();
    }
}

TEST(JavaPeer, EndsWithItsInput) {
    JavaPeer java;
    java.call("addresses");
    EXPECT_TRUE(java.close());
}

TEST(JavaPeer, EndsWithAnswersUnread) {
    JavaPeer java;
    for (int i = 0; i < 1000; ++i) java.send("a", "digest", {"of=user:password"});
    java.await("a");
    EXPECT_TRUE(java.close());
}

} // namespace
} // namespace docent::test
