// SPDX-License-Identifier: Apache-2.0
#include "client/events/mailbox.hpp"

#include <docent/error.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

TEST(Mailbox, ItemsThatCameBeforeTheCloseAreReadBeforeItsError) {
    const auto mailbox = std::make_shared<Mailbox<int>>();
    mailbox->push(1);
    mailbox->push(2);
    mailbox->close(error::closed);
    using Read = std::pair<error_code, int>;
    std::vector<Read> read;
    for (int n = 0; n < 3; ++n) mailbox->read([&read](error_code ec, int item) { read.emplace_back(ec, item); });
    EXPECT_EQ(read, (std::vector<Read>{{{}, 1}, {{}, 2}, {error::closed, 0}}));
}

} // namespace
} // namespace docent::detail
