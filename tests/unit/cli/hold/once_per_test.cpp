// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/once_per.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

TEST(OncePer, ALostLockIsReportedForAnyErrorOfTheAttempt) {
    for (const error_code ec : {make_error_code(error::not_connected), make_error_code(server_error::connection_loss),
                                make_error_code(server_error::session_expired), make_error_code(error::lease_lost)}) {
        EXPECT_EQ(why_not_recorded(ec, LeaseState::lost), NotRecorded::lock_lost);
        EXPECT_EQ(why_not_recorded(ec, LeaseState::expired), NotRecorded::max_hold_over);
    }
    EXPECT_EQ(why_not_recorded(error::lease_lost, LeaseState::held), NotRecorded::lock_lost) << "a server knows it before us";
    EXPECT_EQ(why_not_recorded(error::not_connected, LeaseState::suspended), NotRecorded::failed);
    EXPECT_EQ(why_not_recorded(server_error::no_auth, LeaseState::held), NotRecorded::failed);
}

} // namespace
} // namespace docent::cli
