// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/hold.hpp"

#include "cli/messages.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

TEST(OncePer, ALostLockIsReportedForAnyErrorOfTheAttempt) {
    for (const error_code ec : {make_error_code(error::not_connected), make_error_code(server_error::connection_loss),
                                make_error_code(server_error::session_expired), make_error_code(error::lease_lost)}) {
        EXPECT_EQ(code_of_lease_end(ec, LeaseState::lost), exit_code::lock_lost);
        EXPECT_EQ(code_of_lease_end(ec, LeaseState::expired), exit_code::held_too_long);
    }
    EXPECT_EQ(code_of_lease_end(error::lease_lost, LeaseState::held), exit_code::lock_lost) << "a server knows it before us";
    EXPECT_EQ(code_of_lease_end(error::not_connected, LeaseState::suspended), std::nullopt);
    EXPECT_EQ(code_of_lease_end(server_error::no_auth, LeaseState::held), std::nullopt);
}

} // namespace
} // namespace docent::cli
