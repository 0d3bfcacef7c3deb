// SPDX-License-Identifier: Apache-2.0
#include "client/transaction/transaction_plan.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

std::vector<std::string> paths_of(const TransactionPlan& plan) {
    std::vector<std::string> paths;
    for (const auto& operation : plan.request.operations) {
        paths.push_back(std::visit([](const auto& o) { return o.path; }, operation));
    }
    return paths;
}

/// The reply of a server to a multi whose operation `failed` was rejected.
zk::Reply rejection_at(std::size_t failed, std::size_t count, error_code ec) {
    zk::Reply reply{.ec = ec, .results = std::vector<zk::MultiResult>(count)};
    reply.results[failed].ec = ec;
    for (std::size_t i = failed + 1; i < count; ++i) reply.results[i].ec = server_error::runtime_inconsistency;
    return reply;
}

Transaction example() {
    Transaction transaction;
    transaction.create("/a/n-", "x", CreateMode::persistent_sequential).set_data("/b", "y", 3).check("/c");
    return transaction;
}

TEST(TransactionPlan, HiddenOperationsStandAroundTheUsers) {
    Transaction transaction = example();
    transaction.guard("/lock/one").guard("/lock/two").exactly_once("/m");
    const auto plan = plan_transaction(transaction, "g");
    EXPECT_EQ(paths_of(plan), (std::vector<std::string>{"/lock/one", "/lock/two", "", "/a/n-", "/b", "/c"}))
        << "the marker's is filled in when it is sent";
    EXPECT_TRUE(plan.has_marker);
    EXPECT_EQ(plan.first, 3u);
    EXPECT_EQ(plan.count, 3u);
}

TEST(TransactionPlan, FencingTokenIsLearntBesideTheFirstCreate) {
    Transaction transaction;
    transaction.create("/a/n-", "x", CreateMode::persistent_sequential).check("/c").with_fencing_token();
    EXPECT_EQ(paths_of(plan_transaction(transaction, "g")),
              (std::vector<std::string>{"/a/n-", "/c", "/a/_c_g-zxid", "/a/_c_g-zxid", "/a/_c_g-zxid"}));
    EXPECT_EQ(paths_of(plan_transaction(example().with_fencing_token(), "g")), (std::vector<std::string>{"/a/n-", "/b", "/c"}))
        << "the set returns it";
}

TEST(TransactionPlan, CommittedResultsLeaveOutTheHiddenOnes) {
    const Transaction transaction = example().guard("/lock");
    const auto plan = plan_transaction(transaction, "g");
    zk::Reply reply{.results = std::vector<zk::MultiResult>(4)};
    reply.results[1].path = "/a/n-0000000001";
    reply.results[2].stat = Stat{.mzxid = 77, .version = 4};
    const auto result = committed(transaction, plan, reply);
    EXPECT_EQ(result.operations,
              (std::vector<OperationResult>{{OperationType::create, "/a/n-", "/a/n-0000000001"},
                                            {OperationType::set_data, "/b", "", Stat{.mzxid = 77, .version = 4}},
                                            {OperationType::check, "/c"}}));
    EXPECT_EQ(result.fencing_token, 77);
    EXPECT_FALSE(result.failed_operation);
}

TEST(TransactionPlan, RejectionNamesTheUsersOperationAndShowsNoSuccess) {
    const Transaction transaction = example().guard("/lock").exactly_once("/m");
    const auto plan = plan_transaction(transaction, "g");
    const auto rejection = rejected(transaction, plan, rejection_at(3, 5, server_error::bad_version));
    EXPECT_EQ(rejection.ec, server_error::bad_version);
    EXPECT_EQ(rejection.result.failed_operation, 1u);
    EXPECT_EQ(rejection.result.operations[0].ec, error::not_applied);
    EXPECT_EQ(rejection.result.operations[1].ec, server_error::bad_version);
    EXPECT_EQ(rejection.result.operations[2].ec, error::not_applied);
}

TEST(TransactionPlan, FailedGuardIsALostLease) {
    const Transaction transaction = example().guard("/one").guard("/two");
    const auto plan = plan_transaction(transaction, "g");
    const auto rejection = rejected(transaction, plan, rejection_at(1, 5, server_error::no_node));
    EXPECT_EQ(rejection.ec, error::lease_lost);
    EXPECT_FALSE(rejection.result.failed_operation);
    EXPECT_FALSE(rejection.marker_gone);
}

TEST(TransactionPlan, FailedCheckOfTheUserIsNotALostLease) {
    const Transaction transaction = example().guard("/one");
    const auto plan = plan_transaction(transaction, "g");
    const auto rejection = rejected(transaction, plan, rejection_at(3, 4, server_error::no_node));
    EXPECT_EQ(rejection.ec, server_error::no_node);
    EXPECT_EQ(rejection.result.failed_operation, 2u);
}

TEST(TransactionPlan, MissingMarkerIsNotTheUsersFault) {
    const Transaction transaction = example().exactly_once("/m");
    const auto plan = plan_transaction(transaction, "g");
    for (const auto gone : {server_error::no_node, server_error::bad_version}) {
        const auto rejection = rejected(transaction, plan, rejection_at(0, 4, gone));
        EXPECT_TRUE(rejection.marker_gone);
        EXPECT_FALSE(rejection.result.failed_operation);
    }
    EXPECT_FALSE(rejected(transaction, plan, rejection_at(0, 4, server_error::no_auth)).marker_gone);
    EXPECT_FALSE(rejected(transaction, plan, rejection_at(2, 4, server_error::no_node)).marker_gone) << "the user's own";
}

TEST(TransactionPlan, RecoveredResultsClaimOnlyKnownFacts) {
    Transaction transaction = example();
    transaction.create("/plain");
    const auto result = recovered(transaction, 9);
    EXPECT_TRUE(result.recovered);
    EXPECT_EQ(result.fencing_token, 9);
    EXPECT_EQ(result.operations[0].result_path, "");
    EXPECT_EQ(result.operations[3].result_path, "/plain");
}

} // namespace
} // namespace docent::detail
