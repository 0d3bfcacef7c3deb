// SPDX-License-Identifier: Apache-2.0
#include "client/name_space.hpp"

#include "zk/request_check.hpp"

#include <utility>

namespace docent::detail {

void NameSpace::submit(zk::Request request, zk::ReplyHandler handler) {
    // Before the prefix can make a path valid that is not; the client checks the rest.
    if (const error_code ec = zk::check_paths(request)) {
        return post([handler = std::move(handler), ec] { handler({.ec = ec}); });
    }
    const bool needs_prefix = zk::path_of(request) == "/" || creates(request);
    const bool again = may_send_again(request);
    prefix_.add_to(request);
    auto translated = [this, self = shared_from_this(), handler = std::move(handler)](zk::Reply reply) {
        prefix_.strip_from(reply);
        handler(std::move(reply));
    };
    if (!needs_prefix) return inner().submit(std::move(request), std::move(translated));

    zk::Request second = again ? request : zk::Request{};
    inner().submit(std::move(request),
                   [this, again, second = std::move(second), translated = std::move(translated)](zk::Reply reply) {
                       if (reply.ec != server_error::no_node) return translated(std::move(reply));
                       make();
                       again ? inner().submit(second, translated) : translated(std::move(reply));
                   });
}

/// A transaction that was rejected because the prefix is missing has not been applied. Creates are sent again by those who make
/// them, with their own parents.
bool NameSpace::may_send_again(const zk::Request& request) {
    return zk::path_of(request) == "/" || (!made_ && std::holds_alternative<zk::MultiRequest>(request));
}

void NameSpace::make() {
    made_ = true;
    for (zk::Request& request : requests_for_parents(prefix_.text() + "/child", Parents::container)) {
        inner().submit(std::move(request), [](const zk::Reply&) {});
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
