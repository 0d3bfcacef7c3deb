// SPDX-License-Identifier: Apache-2.0
#include "queue/contender.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

constexpr auto exclusive = ContenderKind::exclusive;
constexpr auto shared = ContenderKind::shared;

std::vector<std::string> names_of(const std::vector<Contender>& queue) {
    std::vector<std::string> names;
    for (const auto& contender : queue) names.push_back(contender.name);
    return names;
}

TEST(Contender, IsReadFromTheTenDigitsAfterTheToken) {
    const std::string name = "_c_0f3a4b5c-0000-4000-8000-000000000001-lock-0000000042";
    EXPECT_EQ(parse_contender(mutex_names(), name), (Contender{name, exclusive, 42}));
}

TEST(Contender, NeedsNoProtectionPrefix) {
    EXPECT_EQ(parse_contender(mutex_names(), "lock-0000000001"), (Contender{"lock-0000000001", exclusive, 1}));
}

TEST(Contender, CountsFromTheLastToken) {
    const std::string name = "_c_lock-0000000001-lock-0000000002";
    EXPECT_EQ(parse_contender(mutex_names(), name), (Contender{name, exclusive, 2}));
}

TEST(Contender, KindIsThatOfTheLastToken) {
    EXPECT_EQ(parse_contender(read_write_names(), "_c_a-__READ__0000000003")->kind, shared);
    EXPECT_EQ(parse_contender(read_write_names(), "_c_a-__WRIT__0000000003")->kind, exclusive);
    EXPECT_EQ(parse_contender(read_write_names(), "__WRIT__-__READ__0000000003")->kind, shared);
    EXPECT_EQ(parse_contender(read_write_names(), "__READ__-__WRIT__0000000003")->kind, exclusive);
}

TEST(Contender, OthersAreIgnored) {
    for (const char* name :
         {"", "0", "lock", "lock-", "lock-1", "lock-000000001", "lock-00000000001", "lock-000000000x", "lock--000000001",
          "lock--2147483648", "lock-0000000001 ", "lock-+000000001", "leases", "_c_a-__READ__0000000001", "lock-9999999999"}) {
        EXPECT_EQ(parse_contender(mutex_names(), name), std::nullopt) << name;
    }
}

TEST(Contender, LargestSequenceOfAServer) {
    EXPECT_EQ(parse_contender(mutex_names(), "lock-2147483647")->sequence, 2147483647);
    EXPECT_EQ(parse_contender(mutex_names(), "lock-2147483648"), std::nullopt);
}

TEST(SortedQueue, OrdersBySequenceWhateverTheNames) {
    EXPECT_EQ(names_of(sorted_queue(mutex_names(), {"_c_a-lock-0000000010", "_c_z-lock-0000000002", "0", "lock-0000000003"})),
              (std::vector<std::string>{"_c_z-lock-0000000002", "lock-0000000003", "_c_a-lock-0000000010"}));
}

TEST(SortedQueue, PutsAWriterBeforeTheReaderOfTheSameNumber) {
    EXPECT_EQ(names_of(sorted_queue(read_write_names(), {"_c_a-__READ__0000000004", "_c_b-__WRIT__0000000004"})),
              (std::vector<std::string>{"_c_b-__WRIT__0000000004", "_c_a-__READ__0000000004"}));
}

TEST(SortedQueue, IsEmptyWithoutContenders) {
    EXPECT_TRUE(sorted_queue(mutex_names(), {}).empty());
    EXPECT_TRUE(sorted_queue(mutex_names(), {"0", "locks", "leases"}).empty());
}

} // namespace
} // namespace docent::detail
