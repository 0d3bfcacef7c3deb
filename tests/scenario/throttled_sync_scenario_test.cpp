// SPDX-License-Identifier: Apache-2.0

// A server that is too busy for a sync, and answers the read behind it by what it knows, which is not the newest.

#include "client/transaction/transaction_operation.hpp"
#include "fake_world.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace docent::detail {
namespace {

class ThrottledSync : public testing::Test {
protected:
    ThrottledSync() {
        for (const char* path : {"/ledger", "/docent/transactions"}) ensemble.number_next_child(path, 0);
        for (std::size_t server = 0; server < FakeEnsemble::server_count; ++server) ensemble.learn_all(server);
        client.connect(0);
    }

    /// The request is applied, its reply is lost, and the next server does not know of it.
    void lose_reply_and_throttle_sync() {
        while (client.has_requests()) client.serve();
        client.break_link({});
        client.connect(2);
        while (!client.has_requests()) {
            if (client.can_run_posted()) client.run_posted();
            client.let_pass(client.next_timer().value_or(std::chrono::nanoseconds{0}));
            if (client.can_fire_timer()) client.fire_timer();
        }
        ASSERT_TRUE(client.next_request().starts_with("sync"));
        ASSERT_TRUE(ensemble.lags(2));
        client.throttle_next = true;
        while (client.has_requests()) client.serve();
        ASSERT_TRUE(ensemble.lags(2));
        while (client.can_deliver()) client.deliver();
    }

    FakeWorld world{1, 1, "/lock"};
    FakeClient& client = world.client(0);
    FakeEnsemble& ensemble = world.surroundings().ensemble;
};

TEST_F(ThrottledSync, TransactionIsAppliedOnce) {
    Transaction transaction;
    transaction.set_data("/ledger", "written").exactly_once();
    int completed = 0;
    const auto operation = std::make_shared<TransactionOperation>(world.share(0), std::move(transaction),
                                                                  [&](const error_code& ec, const TransactionResult& result) {
                                                                      EXPECT_FALSE(ec) << ec.message();
                                                                      EXPECT_TRUE(result.recovered);
                                                                      ++completed;
                                                                  });
    operation->begin();
    lose_reply_and_throttle_sync();
    EXPECT_TRUE(world.run_until([&] { return completed > 0 && world.all_idle(); }));
    EXPECT_EQ(completed, 1);
    EXPECT_EQ(ensemble.truth().find("/ledger")->stat.version, 1);
}

} // namespace
} // namespace docent::detail
