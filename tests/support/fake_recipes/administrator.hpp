// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake_recipes/actor.hpp"

#include <docent/path.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

/// Deletes and changes the children of some nodes, and creates nodes of other sessions there, which no client may touch.
class Administrator final : public Actor {
public:
    /// `replaces`: the share of deletions after which it creates a node in the same place.
    Administrator(FakeWorld& world, std::size_t client, std::vector<std::string> folders, int deeds, double replaces = 0)
        : Actor(world, client), folders_(std::move(folders)), deeds_(deeds), replaces_(replaces) {
        name = "the administrator";
        after(random_ms(300), [this] { do_something(); });
    }

    void look() override {
        if (looked_at_ == truth().zxid()) return;
        looked_at_ = truth().zxid();
        for (const auto& path : all_paths()) {
            auto& highest = highest_version_[path];
            highest = std::max(highest, truth().find(path)->stat.version);
        }
        std::erase_if(theirs_, [this](const auto& each) {
            const auto& [path, foreign] = each;
            const TreeNode* node = truth().find(path);
            const bool is_there = node && node->stat.czxid == foreign.czxid;
            if (is_there && node->data != foreign.data) complain(path + " was another client's node, and was written to");
            if (!is_there && foreign.session != 0 && ensemble().alive(foreign.session)) {
                complain(path + " was another client's node, and was removed");
            }
            return !is_there || node->data != foreign.data;
        });
    }
    void calm_down() override {
        deeds_ = 0;
        while (!theirs_.empty()) take_back(theirs_.begin()->first);
    }
    bool finished() const override { return deeds_ == 0; }

private:
    struct Foreign {
        std::int64_t czxid;
        std::int64_t session;
        std::string data;
    };

    std::vector<std::string> all_paths() const {
        std::vector<std::string> paths;
        for (const auto& folder : folders_) {
            for (const auto& child : truth().children(folder)) paths.push_back(join_path(folder, child));
        }
        return paths;
    }
    void do_something() {
        if (deeds_ == 0) return;
        --deeds_;
        after(random_ms(400), [this] { do_something(); });
        const auto paths = all_paths();
        if (paths.empty()) return;
        const auto& path = paths[world_.surroundings().below(paths.size())];
        if (theirs_.contains(path)) return take_back(path);
        if (chance(0.3)) {
            tell(name + " writes to " + path);
            return ensemble().change_node(path);
        }
        tell(name + " deletes " + path);
        ensemble().delete_node(path);
        if (chance(replaces_)) put(path);
    }
    /// Gives the new node a version that no earlier node in this place had.
    void put(const std::string& path) {
        tell(name + " puts another session's node there");
        const auto session = ensemble().open_session(client_->boot_now());
        ensemble().apply(session, zk::CreateRequest{.path = path, .data = "theirs", .mode = CreateMode::ephemeral});
        const TreeNode* node = truth().find(path);
        if (!node) return ensemble().end_session(session);
        theirs_[path] = {node->stat.czxid, session, "theirs"};
        for (std::int32_t n = 0; n <= highest_version_[path]; ++n) ensemble().change_node(path, "theirs");
    }
    void take_back(const std::string& path) {
        const auto foreign = theirs_.extract(path);
        tell(name + " takes back " + path);
        ensemble().end_session(foreign.mapped().session);
    }

    const std::vector<std::string> folders_;
    int deeds_;
    const double replaces_;
    std::int64_t looked_at_ = -1;
    std::map<std::string, std::int32_t> highest_version_;
    std::map<std::string, Foreign> theirs_;
};

} // namespace docent::detail
