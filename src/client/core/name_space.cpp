// SPDX-License-Identifier: Apache-2.0
#include "client/core/name_space.hpp"
#include "zk/parents.hpp"

#include "zk/request_check.hpp"

#include <utility>

namespace docent::detail {
namespace {

constexpr int attempts_to_make = 2;

bool only_reads(const zk::Request& request) {
    return std::holds_alternative<zk::GetRequest>(request) || std::holds_alternative<zk::ExistsRequest>(request) ||
           std::holds_alternative<zk::ChildrenRequest>(request) || std::holds_alternative<zk::GetAclRequest>(request);
}

} // namespace

void NameSpace::submit(zk::Request request, zk::ReplyHandler handler) {
    // Before the prefix can make a path valid that is not; the client checks the rest.
    if (const error_code ec = zk::check_paths(request)) {
        return post([handler = std::move(handler), ec] { handler({.ec = ec}); });
    }
    // A transaction that was rejected has not been applied. Creates are sent again by those who make them, with their parents.
    const bool asks_for_prefix = zk::path_of(request) == "/" && !(kind_ == Kind::chroot && only_reads(request));
    const bool again = asks_for_prefix || std::holds_alternative<zk::MultiRequest>(request);
    const bool needs_prefix = again || creates(request);
    prefix_.add_to(request);
    auto translated = [this, self = shared_from_this(), handler = std::move(handler)](zk::Reply&& reply) {
        prefix_.strip_from(reply);
        handler(std::move(reply));
    };
    if (!needs_prefix) return inner().submit(std::move(request), std::move(translated));

    zk::Request second = again ? request : zk::Request{};
    inner().submit(std::move(request),
                   [this, again, second = std::move(second), translated = std::move(translated)](zk::Reply&& reply) {
                       if (reply.ec != server_error::no_node) return translated(std::move(reply));
                       if (!again) {
                           make(nullptr, attempts_to_make);
                           return translated(std::move(reply));
                       }
                       make(
                           [this, second, translated, reply = std::move(reply)](bool something_new) mutable {
                               something_new ? inner().submit(second, translated) : translated(std::move(reply));
                           },
                           attempts_to_make);
                   });
}

/// `done` is told whether the prefix, or a part of it, was missing.
void NameSpace::make(Made done, int attempts) {
    const auto something_new = std::make_shared<bool>(false);
    auto requests = zk::requests_for_parents(prefix_.text() + "/child", config().own_parents);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const bool is_last = i + 1 == requests.size();
        inner().submit(std::move(requests[i]), [=, this, self = shared_from_this()](const zk::Reply& reply) {
            *something_new = *something_new || !reply.ec;
            if (!is_last) return;
            // Another prefix in front of this one may have been missing: it has been made by now.
            if (reply.ec == server_error::no_node && attempts > 1) return make(done, attempts - 1);
            if (done) done(*something_new);
        });
    }
}

void NameSpace::forget_watch(const std::string& path, zk::WatchKind kind) {
    inner().forget_watch(prefix_.add(path), kind);
}

void NameSpace::remove_in_background(RemovalOrder order, std::function<void()> done) {
    order.path = prefix_.add(order.path);
    inner().remove_in_background(std::move(order), std::move(done));
}

} // namespace docent::detail
