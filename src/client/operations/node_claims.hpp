// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records which call or object of a client has made an ephemeral node. The node itself shows only its session. After a lost
// reply, this is not enough if several calls of one session create a node at the same path.

#include "client/core/client_view.hpp"

#include <docent/stat.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

namespace docent::detail {

/// The claims of one client. Used on its strand. If several calls at one path do not know whether a node is theirs, the first
/// call that asks gets it.
class NodeClaims {
    /// The newest node that was claimed. Earlier nodes are gone, or were claimed before.
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
    /// The registration of a call or object that creates a node at a path. Take it before the first create is sent, and keep it
    /// while a create may be in doubt. Its calls need the client. Its destructor does not, and may run on any thread.
    class Registration {
    public:
        Registration(ClientView& view, const std::string& path)
            : all_(&view.kept<NodeClaims>()),
              // Nodes that exist by now are claimed.
              here_(all_->at_.get<Newest>(view.server_path(path), [&] { return std::make_shared<Newest>(all_->newest_); })) {}

        /// Claims the node.
        void claim(const Stat& stat) {
            own_ = stat.czxid;
            here_->note(stat);
            all_->newest_.note(stat);
        }
        /// Whether another call or object has claimed this node of the session.
        bool is_anothers(const Stat& stat) const { return stat.czxid != own_ && here_->covers(stat); }

    private:
        NodeClaims* all_;
        std::shared_ptr<Newest> here_;
        std::int64_t own_ = 0;
    };

private:
    Newest newest_;    // at any path
    SharedObjects at_; // the newest at each path
};

} // namespace docent::detail
