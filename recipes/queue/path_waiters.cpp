// SPDX-License-Identifier: Apache-2.0
#include "queue/path_waiters.hpp"

#include "base/while_alive.hpp"

namespace docent::detail {
namespace {

/// The key of a queue in shared_objects(): its path on the servers, and its tokens. The keys of other objects begin with a
/// path.
std::string name_of_waiters(const ClientView& view, const std::string& path, const QueueNames& names) {
    std::string name = "waiters " + view.server_path(path);
    for (const auto tokens : {names.tokens(), names.other_tokens()}) {
        for (const QueueToken& token : tokens) name.append(1, '\0').append(token.text);
    }
    return name;
}

} // namespace

std::shared_ptr<PathWaiters> PathWaiters::of(ClientView& view, const std::string& path, const QueueNames& names) {
    const auto make = [&] { return std::make_shared<PathWaiters>(names); };
    return view.shared_objects().get<PathWaiters>(name_of_waiters(view, path, names), make);
}

void PathWaiters::join(Member& member, ClientView& view) {
    members_.push_back(member);
    if (size() == 1) {
        listener_ = view.listen(while_alive(weak_from_this(), [this](const SessionEvent& event) { on_session(event); }));
    } else if (!snapshot_) {
        snapshot_.emplace(names_);
    }
}

/// A single waiter needs no snapshot with at most one contender ahead: the deletion of that node admits the waiter.
void PathWaiters::on_listed(const std::vector<std::string>& children, std::string_view self) {
    if (size() > 1) return snapshot_->on_listed(children);
    snapshot_.reset();
    if (size() == 1 && !self.empty() && children.size() > 2) snapshot_.emplace(names_).on_listed(children, self);
}

void PathWaiters::leave(Member& member) {
    members_.erase(members_.iterator_to(member));
    if (!members_.empty()) return;
    listener_.reset();
    snapshot_.reset();
}

/// A member that is told may leave, and other members with it.
void PathWaiters::on_session(const SessionEvent& event) {
    if (snapshot_) snapshot_->forget();
    std::vector<std::weak_ptr<Member>> members;
    members.reserve(size());
    for (Member& member : members_) members.push_back(member.weak_member());
    for (const auto& weak : members) {
        if (const auto member = weak.lock()) member->on_session(event);
    }
}

} // namespace docent::detail
