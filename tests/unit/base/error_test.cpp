// SPDX-License-Identifier: Apache-2.0
#include <docent/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace docent {
namespace {

/// The category of a second copy of the library in the same program.
class OtherCopy final : public boost::system::error_category {
public:
    explicit OtherCopy(boost::ulong_long_type id) : error_category(id) {}
    const char* name() const noexcept override { return "copy"; }
    std::string message(int) const override { return {}; }
};

TEST(ErrorCategories, AreEqualToThoseOfAnotherCopyOfTheLibrary) {
    EXPECT_EQ(server_category(), OtherCopy(0xa3b74effb9c7c2bb));
    EXPECT_EQ(docent_category(), OtherCopy(0x4f4b3b27b29cc21c));
    EXPECT_EQ(condition_category(), OtherCopy(0x32dcf60dc8c580ab));
    EXPECT_NE(server_category(), docent_category());
    EXPECT_NE(docent_category(), condition_category());
}

TEST(ErrorCategories, AnswerConditions) {
    EXPECT_EQ(make_error_code(server_error::connection_loss), condition::retryable);
    EXPECT_EQ(make_error_code(server_error::connection_loss), condition::outcome_unknown);
    EXPECT_NE(make_error_code(server_error::no_node), condition::retryable);
}

} // namespace
} // namespace docent
