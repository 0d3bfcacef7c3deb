// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/values.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

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

} // namespace
} // namespace docent::cli
