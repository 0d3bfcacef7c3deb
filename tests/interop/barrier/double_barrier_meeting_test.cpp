// SPDX-License-Identifier: Apache-2.0

// DistributedDoubleBarrier: two members of docent's and two of Curator's.

#include "locks_fixture.hpp"

#include <docent/recipes/barrier/distributed_double_barrier.hpp>

#include <boost/asio/use_future.hpp>

#include <future>
#include <optional>
#include <vector>

namespace docent::test {
namespace {

class DoubleBarrierBesideCurator : public LocksFixture {
protected:
    static constexpr const char* meeting_path = "/work/meeting";
    const std::vector<std::string> java_members{"ann", "bob"};
    std::optional<DistributedDoubleBarrier> one, two;

    void SetUp() override {
        LocksFixture::SetUp();
        one.emplace(*client, meeting_path, 4);
        two.emplace(*observer, meeting_path, 4);
    }
    void tell(const std::string& member, const std::string& verb) {
        java.send(member, verb, {"client=curator", std::string("path=") + meeting_path, "members=4"});
    }
    bool nodes_reach(std::size_t count) {
        return eventually([&] { return children(meeting_path).size() == count; });
    }
    static bool passes(std::future<void>& passage) {
        if (passage.wait_for(generous) != std::future_status::ready) return false;
        passage.get();
        return true;
    }
    static bool held_up(const std::future<void>& passage) {
        return passage.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
    }
};

/// The last member to enter, and to leave, is docent's in one round and Curator's in the other.
TEST_F(DoubleBarrierBesideCurator, AllBeginAndEndTogether) {
    for (const bool docent_is_last : {true, false}) {
        SCOPED_TRACE(docent_is_last);
        auto first = one->async_enter(boost::asio::use_future);
        ASSERT_TRUE(nodes_reach(1));
        tell("ann", "double-enter");
        ASSERT_TRUE(nodes_reach(2));
        std::future<void> second;
        if (docent_is_last) tell("bob", "double-enter");
        else second = two->async_enter(boost::asio::use_future);
        ASSERT_TRUE(nodes_reach(3));
        EXPECT_TRUE(held_up(first));
        EXPECT_FALSE(java.has_answered("ann"));
        if (docent_is_last) second = two->async_enter(boost::asio::use_future);
        else tell("bob", "double-enter");
        for (const auto& member : java_members) EXPECT_EQ(java.await(member)["in"], "true");
        EXPECT_TRUE(passes(first) && passes(second));
        EXPECT_TRUE(nodes_reach(5)) << "ready is there";

        tell("ann", "double-leave");
        auto out = one->async_leave(boost::asio::use_future);
        if (docent_is_last) tell("bob", "double-leave");
        else second = two->async_leave(boost::asio::use_future);
        EXPECT_TRUE(held_up(out));
        EXPECT_FALSE(java.has_answered("ann"));
        if (docent_is_last) second = two->async_leave(boost::asio::use_future);
        else tell("bob", "double-leave");
        for (const auto& member : java_members) EXPECT_EQ(java.await(member)["out"], "true");
        EXPECT_TRUE(passes(out) && passes(second));
        EXPECT_TRUE(nodes_reach(0));
    }
}

} // namespace
} // namespace docent::test
