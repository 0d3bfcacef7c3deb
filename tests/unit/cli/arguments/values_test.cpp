// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/values.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

TEST(Duration, IsANumberAndItsUnit) {
    EXPECT_EQ(parse_duration("500ms"), 500ms);
    EXPECT_EQ(parse_duration("5s"), 5s);
    EXPECT_EQ(parse_duration("2m"), 2min);
    EXPECT_EQ(parse_duration("1h"), 1h);
    EXPECT_EQ(parse_duration("7d"), 168h);
    EXPECT_EQ(parse_duration("0s"), 0ms);
}

TEST(Duration, ANumberWithoutAUnitIsInSeconds) { // as for flock -w
    EXPECT_EQ(parse_duration("5"), 5s);
    EXPECT_EQ(parse_duration("0"), 0ms);
    EXPECT_EQ(parse_duration("31622400"), 366 * 24h);
    EXPECT_EQ(parse_duration("31622401"), std::nullopt);
}

TEST(Duration, RefusesOtherText) {
    for (const auto* text :
         {"", "s", "-5", "-5s", "+5", "+5s", "1.5", "5 ", " 5s", "5 s", "5s ", "1.5s", "5w", "5S", "0x5s", "-0s"}) {
        EXPECT_EQ(parse_duration(text), std::nullopt) << '"' << text << '"';
    }
}

TEST(Duration, RefusesAnOverflow) {
    EXPECT_EQ(parse_duration("8784h"), 8784h); // a leap year
    EXPECT_EQ(parse_duration("8785h"), std::nullopt);
    EXPECT_EQ(parse_duration("367d"), std::nullopt);
    EXPECT_EQ(parse_duration("9223372036854775807ms"), std::nullopt);
    EXPECT_EQ(parse_duration("9223372036854775808ms"), std::nullopt);
    EXPECT_EQ(parse_duration("9223372036854775807h"), std::nullopt);
}

TEST(Duration, IsShownInTheLargestUnitThatFits) {
    EXPECT_EQ(to_text(0ms), "0ms");
    EXPECT_EQ(to_text(500ms), "500ms");
    EXPECT_EQ(to_text(1500ms), "1500ms");
    EXPECT_EQ(to_text(5s), "5s");
    EXPECT_EQ(to_text(90s), "90s");
    EXPECT_EQ(to_text(120s), "2m");
    EXPECT_EQ(to_text(3600s), "1h");
    EXPECT_EQ(to_text(48h), "48h");
}

TEST(AclText, IsReadAsZooKeeperWritesIt) {
    EXPECT_EQ(parse_acl("world:anyone:cdrwa"), open_acl());
    EXPECT_EQ(parse_acl("auth::cdrwa,world:anyone:r"),
              (Acl{{Permission::all, "auth", ""}, {Permission::read, "world", "anyone"}}));
    EXPECT_EQ(parse_acl("digest:ann:h/sh=:rw"), (Acl{{Permission::read | Permission::write, "digest", "ann:h/sh="}}));
}

TEST(AclText, AnythingElseIsRefused) {
    for (const auto* text : {"", "world", "world:anyone", "world:anyone:", "world:anyone:x", "world:anyone:R", ":anyone:r",
                             "world:anyone:r,", ",world:anyone:r", "world:anyone:r w"}) {
        EXPECT_EQ(parse_acl(text), std::nullopt) << text;
    }
}

TEST(AclText, IsWrittenAsItIsRead) {
    for (const auto* text : {"world:anyone:cdrwa", "auth::r", "digest:ann:h/sh=:rw", "ip:10.0.0.0/8:ca"}) {
        const auto acl = parse_acl(text);
        ASSERT_TRUE(acl) << text;
        EXPECT_EQ(to_text(acl->front()), text);
    }
}

TEST(SimilarName, OneSlip) {
    EXPECT_EQ(did_you_mean("lokc", {"ls", "lock", "get"}), "; did you mean lock?");
    EXPECT_EQ(did_you_mean("lck", {"ls", "lock"}), "; did you mean lock?");
    EXPECT_EQ(did_you_mean("locks", {"ls", "lock"}), "; did you mean lock?");
    EXPECT_EQ(did_you_mean("lick", {"ls", "lock"}), "; did you mean lock?");
    EXPECT_EQ(did_you_mean("l", {"ls", "lock"}), "; did you mean ls?");
}

TEST(SimilarName, TwoSlipsInALongOne) {
    EXPECT_EQ(did_you_mean("--conect", {"--connect"}), "; did you mean --connect?");
    EXPECT_EQ(did_you_mean("--conetc", {"--connect"}), "; did you mean --connect?");
    EXPECT_EQ(did_you_mean("--cnetc", {"--connect"}), "");
    EXPECT_EQ(did_you_mean("lo", {"lock"}), "") << "two in a short one";
}

TEST(SimilarName, TheNearestThenTheFirst) {
    EXPECT_EQ(did_you_mean("--waitt", {"--weight", "--wait"}), "; did you mean --wait?");
    EXPECT_EQ(did_you_mean("sat", {"set", "stat"}), "; did you mean set?");
}

TEST(SimilarName, NothingIsNear) {
    EXPECT_EQ(did_you_mean("", {"ls", "get"}), "");
    EXPECT_EQ(did_you_mean("-x", {"--by", "--json"}), "");
    EXPECT_EQ(did_you_mean("lock", {}), "");
    EXPECT_EQ(did_you_mean(std::string(100'000, 'x'), {"lock"}), "");
}

} // namespace
} // namespace docent::cli
