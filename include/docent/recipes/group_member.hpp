// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/recipes/persistent_node.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

/// Who is in a group, by id, with what each says of itself.
using Members = std::map<std::string, std::string>;

namespace detail {
DOCENT_EXPORT void initiate_members(const std::shared_ptr<PersistentNodeCore>&, CallOptions, Handler<Members>);

template <typename Base, typename Default> class AsyncGroupMember : public AsyncPersistentNode<Base, Default> {
public:
    using AsyncPersistentNode<Base, Default>::AsyncPersistentNode;
    AsyncGroupMember() = default;

    /// Completion signature: `void(error_code, Members)`. Cancellation: `terminal`, `partial`, `total`.
    template <asio::completion_token_for<void(error_code, Members)> Token = Default>
    auto async_members(Token&& token = Token{}) const {
        return async_members(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Members)> Token = Default>
    auto async_members(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<Members>(&detail::initiate_members, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// One member of a group of processes, Curator's GroupMember among them: a PersistentNode below the group's path, whose name is
/// the id and whose data is what it says of itself. Where this says nothing, it is as PersistentNode.
///
/// Two members with one id: the second one waits until the first has left.
class DOCENT_EXPORT GroupMember
    : public detail::AsyncGroupMember<detail::Holder<detail::PersistentNodeCore>, asio::deferred_t> {
public:
    /// Errors: throws as PersistentNode; `error::invalid_path` also for an id that is no name of a node. Nothing is sent.
    GroupMember(Client& client, std::string_view group, std::string_view id, std::string_view payload = {});

    /// Of the group.
    const std::string& path() const noexcept { return group_; }
    const std::string& id() const noexcept { return id_; }
    /// Of the member's own node; empty while none is known to be there. No network.
    std::string node_path() const { return node_.node_path(); }
    /// What it says of itself, as it was last set. No network.
    std::string payload() const { return node_.data(); }

    void start() { node_.start(); }
    void start(error_code& ec) { node_.start(ec); }

    std::string await_node(CallOptions call = {}) { return node_.await_node(std::move(call)); }
    std::string await_node(error_code& ec, CallOptions call = {}) { return node_.await_node(ec, std::move(call)); }

    void set_data(std::string_view payload, CallOptions call = {}) { node_.set_data(payload, std::move(call)); }
    void set_data(std::string_view payload, error_code& ec, CallOptions call = {}) {
        node_.set_data(payload, ec, std::move(call));
    }

    /// Leaves the group.
    void close(CallOptions call = {}) { node_.close(std::move(call)); }
    void close(error_code& ec, CallOptions call = {}) { node_.close(ec, std::move(call)); }

    [[nodiscard]] Subscription listen(std::function<void(const PersistentNodeEvent&)> listener,
                                      asio::any_io_executor executor = {}) {
        return node_.listen(std::move(listener), std::move(executor));
    }

    /// All members, read from the servers; whoever leaves meanwhile is left out. Costs two round trips, one read for each
    /// member. Errors: those of Client::children and Client::get; `error::corrupt_data`.
    Members members(CallOptions call = {}) const;
    Members members(error_code& ec, CallOptions call = {}) const;

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncGroupMember<GroupMember, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    GroupMember(detail::SameObject, const GroupMember& other);

private:
    friend struct detail::Access;

    std::string group_;
    std::string id_;
    PersistentNode node_;
};

} // namespace docent
