// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/recipes/persistent_node.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

/// The members of a group by id, each with its payload.
/// @ingroup values
using Members = std::map<std::string, std::string>;

namespace detail {
DOCENT_EXPORT void initiate_members(const std::shared_ptr<PersistentNodeCore>&, CallOptions, Handler<Members>);

/// The asynchronous operations of GroupMember, in addition to the operations of a PersistentNode.
/// @ingroup values
template <typename Base, typename Default> class AsyncGroupMember : public AsyncPersistentNode<Base, Default> {
public:
    using AsyncPersistentNode<Base, Default>::AsyncPersistentNode;

    /// Reads all members, as GroupMember::members() does.
    ///
    /// Completion signature: `void(error_code, Members)`. Cancellation: `terminal`, `partial` and
    /// `total`.
    template <asio::completion_token_for<void(error_code, Members)> Token = Default>
    auto async_members(Token&& token = Token{}) const {
        return async_members(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, Members)> Token = Default>
    auto async_members(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<Members>(&detail::initiate_members, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// A member of a group of processes. Works with Java Curator's GroupMember in the same group.
///
/// ```cpp
/// docent::GroupMember self{client, "/groups/web", "db3", "10.0.0.3:8080"};
/// self.await_node(); // joins the group
/// docent::Members members = self.members();
/// self.close();
/// ```
///
/// A member is a PersistentNode below the path of the group: its name is the id, its data the
/// payload. Otherwise everything is as with PersistentNode. If two members have the same id, the
/// second waits until the first has left.
/// @ingroup values
class DOCENT_EXPORT GroupMember : public detail::BaseOf<GroupMember, detail::PersistentNodeCore, detail::AsyncGroupMember> {
public:
    /// Makes a member of the group at the path `group`. Sends nothing.
    ///
    /// Errors: as the constructor of PersistentNode; `error::invalid_path` also if `id` is not a
    /// name of a node.
    GroupMember(Client& client, std::string_view group, std::string_view id, std::string_view payload = {});

    /// The path of the group.
    const std::string& path() const noexcept { return group_; }
    /// The id of this member.
    const std::string& id() const noexcept { return id_; }
    /// The path of this member's node; empty while no node is known. No network.
    std::string node_path() const { return node_.node_path(); }
    /// The payload that was set last. No network.
    std::string payload() const { return node_.data(); }

    /// Joins the group and stays in it, see PersistentNode::start().
    void start() { node_.start(); }
    /// As above, but sets `ec` instead of throwing.
    void start(error_code& ec) { node_.start(ec); }

    /// Waits until this member has joined, and returns the path of its node, see
    /// PersistentNode::await_node().
    std::string await_node(CallOptions call = {}) { return node_.await_node(std::move(call)); }
    /// As above, but sets `ec` instead of throwing.
    std::string await_node(error_code& ec, CallOptions call = {}) { return node_.await_node(ec, std::move(call)); }

    /// Changes the payload, see PersistentNode::set_data().
    void set_data(std::string_view payload, CallOptions call = {}) { node_.set_data(payload, std::move(call)); }
    /// As above, but sets `ec` instead of throwing.
    void set_data(std::string_view payload, error_code& ec, CallOptions call = {}) {
        node_.set_data(payload, ec, std::move(call));
    }

    /// Leaves the group, see PersistentNode::close().
    void close(CallOptions call = {}) { node_.close(std::move(call)); }
    /// As above, but sets `ec` instead of throwing.
    void close(error_code& ec, CallOptions call = {}) { node_.close(ec, std::move(call)); }

    /// Calls `listener` with each change of this member's node, see PersistentNode::listen().
    [[nodiscard]] Subscription listen(std::function<void(const PersistentNodeEvent&)> listener,
                                      asio::any_io_executor executor = {}) {
        return node_.listen(std::move(listener), std::move(executor));
    }

    /// Reads all members from the servers. Two round trips: a list, then a read for each member. A
    /// member that leaves meanwhile is left out.
    ///
    /// Errors: as Client::children() and Client::get(), and `error::corrupt_data`.
    Members members(CallOptions call = {}) const;
    /// As above, but sets `ec` instead of throwing.
    Members members(error_code& ec, CallOptions call = {}) const;

protected:
    /// For `as_default_on()`: another object for the same state.
    GroupMember(detail::SameObject same, const GroupMember& other)
        : AsyncGroupMember(same, other), group_(other.group_), id_(other.id_), node_(same, other.node_) {}

private:
    friend struct detail::Access;

    std::string group_;
    std::string id_;
    PersistentNode node_;
};

} // namespace docent
