// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"
#include "queue/queue_snapshot.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::detail {

/// All attempts of one client in one queue, with their shared snapshot of the queue and one listener for session events.
/// Members are called on the strand.
class PathWaiters : public std::enable_shared_from_this<PathWaiters> {
public:
    /// One attempt. It is registered while it is under way, from join() to leave().
    class Member : public boost::intrusive::list_base_hook<> {
    public:
        virtual ~Member() = default;
        virtual void on_session(const SessionEvent& event) = 0;
        /// For on_session(): a member that gets an event may end other members.
        virtual std::weak_ptr<Member> weak_member() = 0;
    };

    /// The object of this client for a queue, the same for all views of the client.
    static std::shared_ptr<PathWaiters> of(ClientView& view, const std::string& path, const QueueNames& names);

    explicit PathWaiters(QueueNames names) : names_(std::move(names)) {}
    PathWaiters(const PathWaiters&) = delete;
    PathWaiters& operator=(const PathWaiters&) = delete;

    void join(Member& member, ClientView& view);
    void leave(Member& member);
    std::size_t size() const { return members_.size(); }

    // See QueueSnapshot.
    /// `self`: the node of the attempt that asked for the list; empty if this attempt does not use the snapshot. The attempt
    /// may have left.
    void on_listed(const std::vector<std::string>& children, std::string_view self);
    void on_created(std::string_view name) {
        if (snapshot_) snapshot_->on_created(name);
    }
    void on_gone(std::string_view name) {
        if (snapshot_) snapshot_->on_gone(name);
    }
    std::optional<Neighbours> before(std::string_view self) const { return snapshot_ ? snapshot_->before(self) : std::nullopt; }

private:
    void on_session(const SessionEvent& event);

    QueueNames names_;
    boost::intrusive::list<Member> members_; // in the order of their registration
    std::optional<QueueSnapshot> snapshot_;
    Registration listener_;
};

} // namespace docent::detail
