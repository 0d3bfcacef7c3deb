// SPDX-License-Identifier: Apache-2.0
#include "base/reply_too_large.hpp"

#include <docent/error.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <system_error>

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

TEST(ReplyTooLarge, NamesTheSizeAndIsStillTheSameError) {
    constexpr std::size_t mebibyte = 1U << 20U;
    const error_code ec = detail::reply_too_large(70 * mebibyte);
    EXPECT_EQ(ec, error::reply_too_large);
    EXPECT_EQ(error::reply_too_large, ec);
    EXPECT_NE(ec, error::too_large);
    EXPECT_NE(ec, condition::retryable);
    EXPECT_EQ(ec.category(), docent_category());
    EXPECT_EQ(ec.to_string(), make_error_code(error::reply_too_large).to_string());
    EXPECT_EQ(hash_value(ec), hash_value(make_error_code(error::reply_too_large)));
    EXPECT_EQ(ec.message(), "the answer has 70 MiB, more than this client reads (64 MiB)");
    EXPECT_EQ(std::error_code(ec).message(), ec.message());
    EXPECT_NE(std::string(Error(ec, "list /a").what()).find("list /a: the answer has 70 MiB"), std::string::npos);
    EXPECT_EQ(error_code(static_cast<int>(error::closed), ec.category()).message(), make_error_code(error::closed).message());
}

TEST(ReplyTooLarge, OfAnAnswerThatMayBeReadTellsThatItTakesTooLong) {
    constexpr std::size_t kibibyte = 1U << 10U;
    const auto takes_too_long = [](const std::string& size) {
        return "the answer has " + size + " and takes longer than a third of the session timeout; use a longer session timeout";
    };
    EXPECT_EQ(detail::reply_too_large(100 * kibibyte - 5).message(), takes_too_long("100 KiB"));
    EXPECT_EQ(detail::reply_too_large(1024 * kibibyte - 1).message(), takes_too_long("1 MiB"));
    EXPECT_EQ(detail::reply_too_large(20 * 1024 * kibibyte).message(), takes_too_long("20 MiB"));
    EXPECT_EQ(detail::reply_too_large(64 * 1024 * kibibyte).message(), takes_too_long("64 MiB"));
}

TEST(ReplyTooLarge, HasOneCategoryForAllSizesThatLookAlike) {
    constexpr std::size_t mebibyte = 1U << 20U;
    const error_code small = detail::reply_too_large(64 * mebibyte + 1);
    const error_code large = detail::reply_too_large(2'000 * mebibyte);
    EXPECT_EQ(small.message(), "the answer has 65 MiB, more than this client reads (64 MiB)");
    EXPECT_EQ(large.message(), "the answer has 2000 MiB, more than this client reads (64 MiB)");
    EXPECT_EQ(&detail::reply_too_large(65 * mebibyte).category(), &small.category());
    EXPECT_NE(&large.category(), &small.category());
}

} // namespace
} // namespace docent
