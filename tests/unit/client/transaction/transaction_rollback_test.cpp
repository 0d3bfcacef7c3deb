// SPDX-License-Identifier: Apache-2.0

// The marker of a transaction, when an ensemble goes back to a state in which it was not removed yet.

#include "client/transaction/transaction_operation.hpp"
#include "fake_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace docent::detail {
namespace {

TEST(TransactionRollback, MarkerIsRemovedAgain) {
    FakeWorld world(1, 1, "/lock");
    FakeEnsemble& ensemble = world.surroundings().ensemble;
    bool done = false;
    std::make_shared<TransactionOperation>(world.share(0), Transaction().create("/t", "data").exactly_once("/"),
                                           [&](error_code ec, const TransactionResult&) {
                                               EXPECT_FALSE(ec);
                                               done = true;
                                           })
        ->begin();
    const auto markers = [&] {
        const auto names = ensemble.truth().children("/");
        return std::count_if(names.begin(), names.end(), [](const auto& name) { return name.starts_with("_c_"); });
    };
    ASSERT_TRUE(world.run_until([&] { return markers() == 1; }));
    const auto past = ensemble.past();
    ASSERT_TRUE(world.run_until([&] { return done && markers() == 0 && world.all_idle(); }));

    world.go_back_to(past);
    ASSERT_EQ(markers(), 1);
    ASSERT_TRUE(world.run_until([&] { return markers() == 0; }));
    EXPECT_EQ(world.client(0).session().epoch, 1u) << "not by its session's end";
    EXPECT_NE(ensemble.truth().find("/t"), nullptr);
}

} // namespace
} // namespace docent::detail
