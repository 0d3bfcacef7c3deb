// SPDX-License-Identifier: Apache-2.0

// Docent's caches follow the writes of Curator.

#include "eventually.hpp"
#include "framework_fixture.hpp"

#include <docent/recipes/cache/node_cache.hpp>
#include <docent/recipes/cache/path_children_cache.hpp>
#include <docent/recipes/cache/tree_cache.hpp>

#include <map>
#include <string>

namespace docent::test {
namespace {

class CachesOfCuratorsNodes : public FrameworkFixture {
protected:
    using Data = std::map<std::string, std::string>;

    void curator_makes(const std::string& path, const std::string& data, Words words = {}) {
        words.push_back(data_word(data));
        curator("create", path, words);
    }
    static bool becomes(const auto& read, const Data& data) {
        return eventually([&] {
            Data now;
            for (const auto& [key, node] : read()) now[key] = node->data;
            return now == data;
        });
    }
};

TEST_F(CachesOfCuratorsNodes, FollowItsWrites) {
    NodeCache node(*client, "/c/a");
    PathChildrenCache children(*client, "/c");
    TreeCache tree(*client, "/c");
    node.start();
    children.start();
    tree.start();
    EXPECT_EQ(node.get(), nullptr);

    curator_makes("/c/a", "1", {"parents"});
    curator_makes("/c/a/deep", "2");
    curator("set", "/c", {data_word("root")});
    curator("set", "/c/a", {data_word("3")});
    EXPECT_TRUE(eventually([&] { return node.get() && node.get()->data == "3"; }));
    EXPECT_TRUE(becomes([&] { return children.children(); }, {{"a", "3"}}));
    EXPECT_TRUE(becomes([&] { return tree.nodes(); }, {{"/c", "root"}, {"/c/a", "3"}, {"/c/a/deep", "2"}}));

    client->renew_session();
    curator("delete", "/c/a", {"children"});
    curator_makes("/c/b", "4");
    EXPECT_TRUE(eventually([&] { return !node.get(); }));
    EXPECT_TRUE(becomes([&] { return children.children(); }, {{"b", "4"}}));
    EXPECT_TRUE(becomes([&] { return tree.nodes(); }, {{"/c", "root"}, {"/c/b", "4"}}));
}

TEST_F(CachesOfCuratorsNodes, SeeNodesEndWithTheirSession) {
    PathChildrenCache children(*client, "/here");
    children.start();
    open_curator("passing");
    curator_makes("/here/java", "x", {"client=passing", "parents", "mode=EPHEMERAL"});
    EXPECT_TRUE(becomes([&] { return children.children(); }, {{"java", "x"}}));
    EXPECT_EQ(java.call("close", {"client=passing"}).error, "");
    EXPECT_TRUE(becomes([&] { return children.children(); }, {}));
}

} // namespace
} // namespace docent::test
