// SPDX-License-Identifier: Apache-2.0
#include "zk/request_check.hpp"

#include <gtest/gtest.h>

namespace docent::zk {
namespace {

CreateRequest create(std::string path, std::string data = {}, CreateMode mode = CreateMode::persistent) {
    return {std::move(path), std::move(data), mode, open_acl()};
}

TEST(RequestCheck, PathsAreCheckedForEveryKind) {
    EXPECT_EQ(check_request(create("bad")), error::invalid_path);
    EXPECT_EQ(check_request(RemoveRequest{"/a/"}), error::invalid_path);
    EXPECT_EQ(check_request(SetRequest{"", "x"}), error::invalid_path);
    EXPECT_EQ(check_request(GetRequest{"//"}), error::invalid_path);
    EXPECT_EQ(check_request(ExistsRequest{"/a\n"}), error::invalid_path);
    EXPECT_EQ(check_request(ChildrenRequest{"a"}), error::invalid_path);
    EXPECT_EQ(check_request(SyncRequest{"/./"}), error::invalid_path);
    EXPECT_FALSE(check_request(SyncRequest{"/"}));
}

TEST(RequestCheck, SequentialNamesMayBeEmpty) {
    EXPECT_FALSE(check_request(create("/a/", "", CreateMode::ephemeral_sequential)));
    EXPECT_EQ(check_request(create("/a/", "", CreateMode::ephemeral)), error::invalid_path);
    EXPECT_EQ(check_request(create("a", "", CreateMode::ephemeral_sequential)), error::invalid_path);
}

TEST(RequestCheck, SizesStayBelowTheServersLimit) {
    const std::size_t overhead = encoded_size(create("/a"));
    EXPECT_FALSE(check_request(create("/a", std::string(max_request_size - overhead, 'x'))));
    EXPECT_EQ(check_request(create("/a", std::string(max_request_size - overhead + 1, 'x'))), error::too_large);
    EXPECT_EQ(check_request(SetRequest{"/a", std::string(max_request_size, 'x')}), error::too_large);
    EXPECT_EQ(check_request(GetRequest{"/" + std::string(max_request_size, 'x')}), error::too_large);
}

TEST(RequestCheck, TtlAndAcl) {
    auto request = create("/a", "", CreateMode::persistent_with_ttl);
    EXPECT_EQ(check_request(request), server_error::bad_arguments);
    request.ttl = std::chrono::milliseconds{1};
    EXPECT_FALSE(check_request(request));
    request.acl.clear();
    EXPECT_EQ(check_request(request), server_error::invalid_acl);
}

TEST(RequestCheck, TransactionsHaveNeitherContainersNorNodesWithATtl) {
    auto with_ttl = create("/a", "", CreateMode::persistent_with_ttl);
    with_ttl.ttl = std::chrono::milliseconds{1};
    EXPECT_EQ(check_request(MultiRequest{{with_ttl}}), server_error::unimplemented);
    with_ttl.ttl = std::chrono::milliseconds{0}; // as in Transaction, which has none
    EXPECT_EQ(check_request(MultiRequest{{with_ttl}}), server_error::unimplemented);
    EXPECT_EQ(check_request(MultiRequest{{create("/a", "", CreateMode::container)}}), server_error::unimplemented);
    EXPECT_FALSE(check_request(MultiRequest{{create("/a")}}));
}

} // namespace
} // namespace docent::zk
