// SPDX-License-Identifier: Apache-2.0
#include "client/data/data_codec.hpp"

#include <gtest/gtest.h>

#include <random>

namespace docent::detail {
namespace {

std::string random_bytes(std::size_t size) {
    std::mt19937 random(7); // NOLINT(cert-msc51-cpp): the same every time
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
}

TEST(Gzip, UnpacksItsOutput) {
    for (const std::string& data : {std::string(), std::string("x"), std::string("\0\n", 2), std::string(100'000, 'a'),
                                    random_bytes(100'000), std::string(5'000'000, 'b')}) {
        EXPECT_EQ(gunzip(gzip(data)), data);
    }
    EXPECT_LT(gzip(std::string(100'000, 'a')).size(), 1'000u);
}

TEST(Gzip, WritesTheFormatsMark) {
    EXPECT_TRUE(gzip("x").starts_with("\x1f\x8b\x08"));
}

TEST(Gzip, SeveralMembersAreOneText) {
    EXPECT_EQ(gunzip(gzip("a") + gzip("b")), "ab");
}

TEST(Gzip, RefusesIncompleteData) {
    const std::string packed = gzip("some text that is packed");
    for (std::size_t size = 1; size < packed.size(); ++size) {
        EXPECT_THROW(gunzip(packed.substr(0, size)), std::runtime_error) << size;
    }
    EXPECT_THROW(gunzip("not packed at all"), std::runtime_error);
    EXPECT_THROW(gunzip(packed + "more"), std::runtime_error);
    std::string damaged = packed;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    EXPECT_THROW(gunzip(damaged), std::runtime_error);
}

TEST(Gzip, RefusesDataThatWouldTakeTooMuchMemory) {
    std::string bomb;
    const std::string one = gzip(std::string(std::size_t{16} * 1024 * 1024, '\0'));
    for (int i = 0; i < 5; ++i) bomb += one;
    EXPECT_LT(bomb.size(), 100'000u);
    EXPECT_THROW(gunzip(bomb), std::runtime_error);
}

} // namespace
} // namespace docent::detail
