// SPDX-License-Identifier: Apache-2.0
#include "client/core/name_space.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

TEST(PathPrefix, AddsAndStrips) {
    const PathPrefix prefix("/app/ns");
    EXPECT_EQ(prefix.add("/a"), "/app/ns/a");
    EXPECT_EQ(prefix.add("/"), "/app/ns");
    EXPECT_EQ(prefix.strip("/app/ns/a"), "/a");
    EXPECT_EQ(prefix.strip("/app/ns"), "/");
    EXPECT_EQ(prefix.strip("/app/nsx/a"), "/app/nsx/a") << "another node whose name begins alike";
    EXPECT_EQ(prefix.strip(""), "");
}

TEST(PathPrefix, EmptyChangesNothing) {
    const PathPrefix none;
    EXPECT_EQ(none.add("/"), "/");
    EXPECT_EQ(none.add("/a"), "/a");
    EXPECT_EQ(none.strip("/a"), "/a");
    EXPECT_EQ(none.strip(""), "");
}

TEST(PathPrefix, ReachesEveryPathOfARequest) {
    const PathPrefix prefix("/p");
    zk::Request multi = zk::MultiRequest{{zk::CreateRequest{"/a"}, zk::RemoveRequest{"/b"}, zk::CheckRequest{"/"}}};
    prefix.add_to(multi);
    const auto& operations = std::get<zk::MultiRequest>(multi).operations;
    EXPECT_EQ(std::get<zk::CreateRequest>(operations[0]).path, "/p/a");
    EXPECT_EQ(std::get<zk::RemoveRequest>(operations[1]).path, "/p/b");
    EXPECT_EQ(std::get<zk::CheckRequest>(operations[2]).path, "/p");
    zk::Request acl = zk::SetAclRequest{"/a", open_acl()};
    prefix.add_to(acl);
    EXPECT_EQ(zk::path_of(acl), "/p/a");
    zk::Request config = zk::GetConfigRequest{};
    prefix.add_to(config);
    EXPECT_EQ(zk::path_of(config), "/zookeeper/config") << "which is the same for everybody";
}

TEST(PathPrefix, KeepsPathsBelowItsRoot) {
    const PathPrefix prefix("/p");
    zk::Request create = zk::CreateRequest{"/", "", CreateMode::ephemeral_sequential};
    prefix.add_to(create);
    EXPECT_EQ(zk::path_of(create), "/p/");
    zk::Request plain = zk::CreateRequest{"/", "", CreateMode::ephemeral};
    prefix.add_to(plain);
    EXPECT_EQ(zk::path_of(plain), "/p");
    zk::Request multi = zk::MultiRequest{{zk::CreateRequest{"/", "", CreateMode::persistent_sequential}}};
    prefix.add_to(multi);
    EXPECT_EQ(std::get<zk::CreateRequest>(std::get<zk::MultiRequest>(multi).operations[0]).path, "/p/");
}

} // namespace
} // namespace docent::detail
