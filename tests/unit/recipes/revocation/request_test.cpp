// SPDX-License-Identifier: Apache-2.0
#include "revocation/request.hpp"

#include "client/data/data_codec.hpp"

#include <docent/recipes/revocation.hpp>

#include <gtest/gtest.h>

namespace docent {
namespace {

using detail::gzip;

bool asks(const std::string& data, const ClientConfig& config = {}) {
    return detail::is_revocation_request(config, "/lock/node", data);
}

TEST(RevocationRequest, IsCuratorsText) {
    EXPECT_TRUE(asks("__REVOKE__"));
    for (const char* other : {"", "__REVOKE__ ", "__REVOKE", "__revoke__", "10.0.0.5"}) EXPECT_FALSE(asks(other)) << other;
    EXPECT_FALSE(asks(std::string("__REVOKE__\0", 11)));
}

TEST(RevocationRequest, MayStandBeforeTheDataThatTheNodeHad) {
    EXPECT_TRUE(asks("__REVOKE__\n"));
    EXPECT_TRUE(asks("__REVOKE__\nroot@a:12 import.sh\ndocent-owner: 0f3a"));
    EXPECT_TRUE(asks("__REVOKE__\n" + std::string(1000, 'x')));
    EXPECT_FALSE(asks("x\n__REVOKE__\n"));
}

TEST(RevocationRequest, MayBeCompressed) {
    EXPECT_TRUE(asks(gzip("__REVOKE__")));
    EXPECT_FALSE(asks(gzip("10.0.0.5")));
    EXPECT_FALSE(asks(gzip("__REVOKE__").substr(0, 20))) << "cut off";
    EXPECT_FALSE(asks(gzip(std::string(100'000, 'x'))));
}

TEST(RevocationRequest, MayBeCompressedAsTheClientDoes) {
    class Reversed final : public CompressionProvider {
    public:
        std::string compress(std::string_view, std::string_view data) override { return {data.rbegin(), data.rend()}; }
        std::string decompress(std::string_view path, std::string_view data) override { return compress(path, data); }
    };
    const ClientConfig config{.compression_provider = std::make_shared<Reversed>()};
    EXPECT_TRUE(asks("__EKOVER__", config));
    EXPECT_TRUE(asks("__REVOKE__", config));
    EXPECT_FALSE(asks("10.0.0.5", config));
}

TEST(LockNode, IsKnownByItsName) {
    for (const char* name : {"lock-0000000000", "_c_0f3a-lock-0000000042", "_c_0f3a-__READ__0000000001",
                             "_c_0f3a-__WRIT__0000000001", "_c_0f3a-lease-2147483647"}) {
        EXPECT_TRUE(is_lock_node("/a/" + std::string(name))) << name;
        EXPECT_TRUE(is_lock_node("/" + std::string(name))) << name;
    }
}

TEST(LockNode, OthersAreNot) {
    for (const char* path :
         {"", "/", "/locks", "/0000000001", "/a/lock-1", "/a/lock-00000000001x", "/a/lock-000000001", "/a/lock-00000000001",
          "/a/block-0000000001", "/a/_c_0f3a-block-0000000001", "/a/lock-0000000001/b", "/a/_c_0f3a-latch-0000000001",
          "/a/config-__READ__0000000001", "/a/_c_0f3a-lock--000000001"}) {
        EXPECT_FALSE(is_lock_node(path)) << path;
    }
}

} // namespace
} // namespace docent
