// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which of a client's calls and objects made an ephemeral node. A node tells its session only; after a lost reply that is not
// enough when several of one session make a node at the same path.

#include "client/core/client_view.hpp"

#include <docent/stat.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace docent::detail {

/// Of one client; on its strand. Of those at one path who do not know whether a node is theirs, the first one to ask has it.
class NodeClaims {
    /// The newest node that was claimed. Those before it have gone, or have been somebody's before.
    struct Newest {
        std::int64_t session = 0;
        std::int64_t czxid = 0;

        void note(const Stat& stat) {
            if (session != stat.ephemeral_owner) *this = {stat.ephemeral_owner, 0};
            czxid = std::max(czxid, stat.czxid);
        }
        bool covers(const Stat& stat) const { return session == stat.ephemeral_owner && stat.czxid <= czxid; }
    };

public:
    /// Of one who makes a node at a path: taken before the first create is sent, and kept while one may be in doubt. Its client
    /// must be there when it is used; it may end on any thread.
    class Seat {
    public:
        Seat(ClientView& view, const std::string& path)
            : all_(&view.kept<NodeClaims>()), here_(all_->at(view.server_path(path))) {}

        /// The node is ours.
        void claim(const Stat& stat) {
            own_ = stat.czxid;
            here_->note(stat);
            all_->newest_.note(stat);
        }
        /// A node of our session at that path was made by somebody else there.
        bool is_anothers(const Stat& stat) const { return stat.czxid != own_ && here_->covers(stat); }

    private:
        NodeClaims* all_;
        std::shared_ptr<Newest> here_;
        std::int64_t own_ = 0;
    };

private:
    std::shared_ptr<Newest> at(const std::string& path) {
        auto& entry = at_[path];
        if (auto newest = entry.lock()) return newest;
        auto newest = std::make_shared<Newest>(newest_); // whatever is there by now is somebody's
        entry = newest;
        if (at_.size() >= purge_at_) {
            std::erase_if(at_, [](const auto& each) { return each.second.expired(); });
            purge_at_ = std::max<std::size_t>(64, 2 * at_.size());
        }
        return newest;
    }

    Newest newest_; // at any path
    std::map<std::string, std::weak_ptr<Newest>, std::less<>> at_;
    std::size_t purge_at_ = 64;
};

} // namespace docent::detail
