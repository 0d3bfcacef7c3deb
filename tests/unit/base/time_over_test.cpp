// SPDX-License-Identifier: Apache-2.0
#include "base/time_over.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

TEST(TimeIsOver, WithoutAConnectionACallThatHasChangedNothingIsNotConnected) {
    for (const auto awaited : {Awaited::answer, Awaited::turn, Awaited::success}) {
        EXPECT_EQ(time_is_over(awaited, false), error::not_connected);
    }
}

TEST(TimeIsOver, WithAConnectionTheErrorNamesTheMissingEvent) {
    EXPECT_EQ(time_is_over(Awaited::answer, true), server_error::operation_timeout);
    EXPECT_EQ(time_is_over(Awaited::turn, true), error::not_acquired);
    EXPECT_EQ(time_is_over(Awaited::success, true), error::not_applied);
}

TEST(TimeIsOver, AWriteThatMayBeAppliedIsInDoubtWithAndWithoutAConnection) {
    for (const bool connected : {false, true}) {
        const error_code ec = time_is_over(Awaited::effect, connected);
        EXPECT_EQ(ec, server_error::operation_timeout);
        EXPECT_EQ(ec, condition::outcome_unknown);
    }
    EXPECT_EQ(with_doubt(error::not_connected, true), server_error::operation_timeout);
    EXPECT_EQ(with_doubt(error::not_connected, false), error::not_connected);
}

TEST(TimeIsOver, NewsOfTheClientItselfNeedNoServer) {
    for (const bool connected : {false, true})
        EXPECT_EQ(time_is_over(Awaited::news, connected), server_error::operation_timeout);
}

} // namespace
} // namespace docent::detail
