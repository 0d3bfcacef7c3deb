// SPDX-License-Identifier: Apache-2.0

// The marker of a transaction after an ensemble has gone back to an older state.

#include "client/transaction/transaction_operation.hpp"
#include "fake_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace docent::detail {
namespace {

class TransactionRollback : public testing::Test {
protected:
    void commit(const std::string& path) {
        bool done = false;
        std::make_shared<TransactionOperation>(world.share(0), Transaction().create(path, "data").exactly_once("/"),
                                               [&](error_code ec, const TransactionResult&) {
                                                   EXPECT_FALSE(ec) << ec.message();
                                                   done = true;
                                               })
            ->begin();
        ASSERT_TRUE(world.run_until([&] { return done && world.all_idle(); }));
    }
    std::ptrdiff_t markers() const {
        const auto names = ensemble.truth().children("/");
        return std::count_if(names.begin(), names.end(), [](const auto& name) { return name.starts_with("_c_"); });
    }

    FakeWorld world{1, 1, "/lock"};
    FakeEnsemble& ensemble = world.surroundings().ensemble;
};

TEST_F(TransactionRollback, MarkerThatWasRemovedIsRemovedAgain) {
    commit("/t");
    const auto past = ensemble.past();
    ASSERT_EQ(markers(), 1);
    world.client(0).kept<MarkerPool>().clear(world.client(0), "/");
    ASSERT_TRUE(world.run_until([&] { return markers() == 0 && world.all_idle(); }));

    world.go_back_to(past);
    ASSERT_EQ(markers(), 1);
    ASSERT_TRUE(world.run_until([&] { return markers() == 0; }));
    EXPECT_EQ(world.client(0).session().epoch, 1u) << "not by its session's end";
    EXPECT_NE(ensemble.truth().find("/t"), nullptr);
}

TEST_F(TransactionRollback, MarkerThatIsKeptMayBeOlderOrMissing) {
    commit("/first");
    const auto past = ensemble.past();
    commit("/second");
    bool is_back = false;
    const auto listening = world.client(0).listen(
        [&is_back](const SessionEvent& event) { is_back = is_back || event.state == SessionState::connected; });
    world.go_back_to(past); // now the marker has an older version
    ASSERT_TRUE(world.run_until([&] { return is_back && world.all_idle(); }));
    ASSERT_EQ(ensemble.truth().find("/second"), nullptr);
    commit("/second");
    EXPECT_NE(ensemble.truth().find("/second"), nullptr);
    EXPECT_EQ(markers(), 1) << "the older one has been removed";
}

} // namespace
} // namespace docent::detail
