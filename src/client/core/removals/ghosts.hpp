// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

#include <docent/session_event.hpp>

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

/// Nodes of ours that nobody of us knows any more. An ensemble whose state went back (docs/guarantees.md) shows nodes again
/// that were removed long ago; their session goes on, so that nobody else would ever remove them.
///
/// Whatever may have made a node with a guid of ours, and whatever has removed one for certain, goes through observed(). So a
/// guid is known from before its create is sent until a server has said that its node is gone. A child in any list whose guid
/// is ours and not known is looked at, and removed if our session owns it.
class Ghosts {
public:
    /// So many places are looked at after a reconnect: those from which a node of ours went last.
    static constexpr std::size_t most_places = 64;

    struct Client {
        /// The guid in the name of a node, if it is one of ours; else empty.
        std::function<std::string_view(std::string_view name)> own_guid;
        std::function<void(zk::Request, zk::ReplyHandler)> submit; // by way of observed()
        std::function<void(std::string path)> remove;              // until it is certain
    };
    explicit Ghosts(Client client) : client_(std::move(client)) {}

    /// Before a request is sent: what its reply is to be given to, in place of `handler`.
    zk::ReplyHandler observed(const zk::Request& request, zk::ReplyHandler handler);
    /// Somebody else has removed the node.
    void on_gone(std::string_view path);
    /// There is no node with this guid below `path`, nor will there be one.
    void on_guid_gone(std::string_view path, std::string_view guid);
    /// A connection is there. What a session before it has made goes with that session.
    void on_connected(const SessionEvent& event);
    /// Looks for ghosts once, in all places from which nodes of this session went lately.
    void look();
    /// Time for what a server was too busy to tell.
    void on_heartbeat();
    /// At each heartbeat. A server that stood still may carry out a create later than its place was looked at by way of another
    /// server, if the session has come back to it meanwhile (seen with 3.8.0). So where one was looked for and removed by its
    /// guid, it is looked again, ever more seldom, until two session timeouts have passed.
    void look_late();

    std::size_t known() const { return known_.size(); }

private:
    struct Known {
        std::uint64_t epoch = 0;
        int under_way = 0;                  // requests that may make its node
        bool may_exist = false;             // by one that was answered, or whose answer was lost
        bool in_doubt = false;              // an answer was lost: there may be two
        std::vector<std::string> gone = {}; // names, sorted, if it was in doubt
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
    std::map<std::string, Known, std::less<>> known_; // by guid
    std::set<std::string> suspects_;                  // paths that are looked at, or being removed
    std::set<std::string> unseen_;                    // places that are to be looked at once more
    std::map<std::string, int> late_;                 // heartbeats since a guid was looked for in vain, by place
    std::list<std::string> places_;                   // parents, the last one first
    std::unordered_map<std::string_view, std::list<std::string>::iterator> place_of_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true); // replies may come after this object
};

} // namespace docent::detail
