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
    const bool asks_for_itself = zk::path_of(request) == "/";
    const bool may_make = asks_for_itself || creates(request);
    prefix_.add_to(request);
    auto translated = [this, self = shared_from_this(), handler = std::move(handler)](zk::Reply reply) {
        prefix_.strip_from(reply);
        handler(std::move(reply));
    };
    if (!may_make) return inner().submit(std::move(request), std::move(translated));

    zk::Request again = asks_for_itself ? request : zk::Request{};
    inner().submit(std::move(request),
                   [this, again = std::move(again), asks_for_itself, translated = std::move(translated)](zk::Reply reply) {
                       if (reply.ec != server_error::no_node) return translated(std::move(reply));
                       make();
                       asks_for_itself ? inner().submit(again, translated) : translated(std::move(reply));
                   });
}

void NameSpace::make() {
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
