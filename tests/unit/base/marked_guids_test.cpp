// SPDX-License-Identifier: Apache-2.0
#include "base/protection.hpp"
#include "names/node_name.hpp"

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/string_generator.hpp>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace docent::detail {
namespace {

boost::uuids::uuid uuid(const char* text) {
    return boost::uuids::string_generator()(text);
}

TEST(MarkedGuids, CountBesideAMark) {
    MarkedGuids guids(uuid("01234567-89ab-4cde-8123-456789abcdef"));
    const std::string first = guids.next();
    const std::string second = guids.next();
    EXPECT_EQ(first.substr(14), "4cdf-8123-456789abcdef");
    EXPECT_EQ(second.substr(14), "4ce0-8123-456789abcdef");
    EXPECT_EQ(first.substr(0, 14), second.substr(0, 14));
}

/// Counting never changes the UUID's version, even if the counter overflows.
TEST(MarkedGuids, AreRandomUuidsOfVersion4) {
    for (const char* text : {"ffffffff-ffff-4fff-bfff-ffffffffffff", "00000000-0000-4fff-8000-000000000000"}) {
        MarkedGuids guids(uuid(text));
        for (int n = 0; n < 3; ++n) {
            const auto made = uuid(guids.next().c_str());
            EXPECT_EQ(made.version(), boost::uuids::uuid::version_random_number_based);
            EXPECT_EQ(made.variant(), boost::uuids::uuid::variant_rfc_4122);
        }
    }
}

TEST(MarkedGuids, AreNeverTheSame) {
    MarkedGuids guids{boost::uuids::random_generator{}()};
    std::set<std::string> made;
    for (int n = 0; n < 10'000; ++n) made.insert(guids.next());
    EXPECT_EQ(made.size(), 10'000u);
}

TEST(MarkedGuids, KnowTheirOwn) {
    boost::uuids::random_generator random;
    MarkedGuids guids(random());
    MarkedGuids others(random());
    for (int n = 0; n < 100; ++n) {
        const std::string guid = guids.next();
        const std::string name = protection_prefix(guid) + "lock-0000000007";
        EXPECT_EQ(guids.own_guid(name), guid);
        EXPECT_EQ(others.own_guid(name), "");
        EXPECT_EQ(parse_node_name(mutex_names(), name)->guid, guid);
    }
    const std::string guid = guids.next();
    for (const std::string& name : {"lock-0000000007" + std::string(), guid, "_c_" + guid, "_c_" + guid.substr(1) + "-lock-1",
                                    "_c_" + guid + "x-lock-1", "_c_-lock-1" + std::string(), std::string()}) {
        EXPECT_EQ(guids.own_guid(name), "") << name;
    }
}

} // namespace
} // namespace docent::detail
