// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

#include <docent/session_event.hpp>

#include <boost/container/flat_set.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace docent::detail {

/// Finds and removes orphaned nodes of this client. Servers that were restored from older data (docs/guarantees.md) show nodes
/// again that were removed long ago. The nodes' session lives on, so no other client would ever remove them.
///
/// Every request that may create or remove a node with one of this client's GUIDs goes through observed(). So a GUID is known
/// from before its create is sent until a server has said that the node is gone. If a list contains a child with a GUID of this
/// client that is not known, the client reads the node, and removes it if its session owns it.
class OrphanedNodes {
public:
    /// The number of parents to list after a reconnect: those from which nodes of this client were removed last.
    static constexpr std::size_t most_places = 64;

    struct Client {
        /// The GUID in the name of a node, if it is one of this client's; else empty.
        std::function<std::string_view(std::string_view name)> own_guid;
        std::function<void(zk::Request, zk::ReplyHandler)> submit; // goes through observed()
        std::function<void(std::string path)> remove;              // tries until the node is certainly gone
    };
    explicit OrphanedNodes(Client client) : client_(std::move(client)) {}

    /// Call it before a request is sent. Returns the handler to use in place of `handler`.
    zk::ReplyHandler observed(const zk::Request& request, zk::ReplyHandler handler);
    /// Another client has removed the node.
    void on_gone(std::string_view path);
    /// No node with this GUID is below `path`, and none is wanted.
    void on_guid_gone(std::string_view path, std::string_view guid);
    /// The client has connected. Nodes of an earlier session end with it, so they are forgotten.
    void on_connected(const SessionEvent& event);
    /// Lists all parents from which nodes of this session were removed lately, once.
    void look();
    /// Lists parents again whose list has failed.
    void on_heartbeat();
    /// Called at each heartbeat. A stalled server may apply a create after the client has searched for its node on another
    /// server, if the session has come back to the stalled server meanwhile (seen with 3.8.0). So after a search by GUID, the
    /// client lists the parent again, at growing intervals, during the next 32 heartbeats.
    void look_late();

    std::size_t known() const { return known_.size(); }

private:
    struct Known {
        std::uint64_t epoch = 0;
        int under_way = 0;                                              // requests that may create its node
        bool may_exist = false;                                         // a create made or found it, or its answer was lost
        bool in_doubt = false;                                          // an answer was lost: there may be two nodes
        boost::container::flat_set<std::string, std::less<>> gone = {}; // names of removed nodes, while others may exist
    };

    std::string_view own_guid_in(std::string_view path) const;
    void on_sent(const std::string& path);
    void on_create_answered(std::string_view guid, const error_code& ec);
    void on_remove_answered(const std::string& path, const error_code& ec);
    void on_listed(const std::string& path, const std::vector<std::string>& children);
    void on_looked(const std::string& path, const zk::Reply& reply);
    bool is_known(std::string_view path) const;
    void remember_place(std::string_view parent);
    void look_at(const std::string& place);
    zk::ReplyHandler observed_multi(const zk::MultiRequest& request, zk::ReplyHandler handler);
    template <typename Function> zk::ReplyHandler before(Function function, zk::ReplyHandler handler);

    Client client_;
    SessionEvent session_;
    std::map<std::string, Known, std::less<>> known_; // by GUID
    std::set<std::string> suspects_;                  // nodes that are being read or removed
    std::set<std::string> unseen_;                    // parents to list again
    std::map<std::string, int> late_;                 // heartbeats since a search by GUID, by parent
    std::list<std::string> places_;                   // parents, the latest first
    std::unordered_map<std::string_view, std::list<std::string>::iterator> place_of_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true); // replies may come after this object
};

} // namespace docent::detail
