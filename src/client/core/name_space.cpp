// SPDX-License-Identifier: Apache-2.0

#include "client/core/name_space.hpp"
#include "client/core/parents/parents.hpp"
#include "zk/request_check.hpp"

#include <utility>

namespace docent::detail {
namespace {

bool makes_sequential(const zk::CreateRequest& create) {
    return is_sequential(create.mode);
}
bool makes_sequential(const auto&) {
    return false;
}

} // namespace

std::string PathPrefix::add(const std::string& path) const {
    return path == "/" && !empty() ? text_ : text_ + path;
}

std::string PathPrefix::strip(const std::string& path) const {
    const bool has_it = path.starts_with(text_) && (path.size() == text_.size() || path[text_.size()] == '/');
    if (empty() || !has_it) return path;
    return path.size() == text_.size() ? "/" : path.substr(text_.size());
}

void PathPrefix::add_to(zk::Request& request) const {
    zk::for_each_operation(request, [this](auto& operation) {
        if constexpr (requires { operation.path; }) {
            // The server appends the number to the path. With the slash, a sequential node of `/` is below the prefix.
            const bool below = operation.path == "/" && makes_sequential(operation);
            operation.path = below ? text_ + "/" : add(operation.path);
        }
    });
}

void PathPrefix::strip_from(zk::Reply& reply) const {
    reply.path = strip(reply.path);
    for (zk::MultiResult& result : reply.results) result.path = strip(result.path);
}

void NameSpace::submit(zk::Request request, zk::ReplyHandler handler) {
    // Checks the paths before the prefix, which could make an invalid path valid. The client checks the rest.
    if (const error_code ec = zk::check_paths(request)) {
        return post([handler = std::move(handler), ec] { handler({.ec = ec}); });
    }
    // on_missing() sends these requests again: a transaction that was rejected, or a request for `/`, was not applied.
    // Operations that create a node create the prefix themselves, together with the node's parents.
    const bool only_reads = zk::facts_of(request).effect == zk::Effect::reads;
    const bool asks_for_prefix = zk::path_of(request) == "/" && !(kind_ == Kind::chroot && only_reads);
    const bool needs_prefix = asks_for_prefix || std::holds_alternative<zk::MultiRequest>(request);
    prefix_.add_to(request);
    auto translated = [this, self = shared_from_this(), handler = std::move(handler)](zk::Reply&& reply) {
        prefix_.strip_from(reply);
        handler(std::move(reply));
    };
    if (!needs_prefix) return inner().submit(std::move(request), std::move(translated));
    zk::Request again = request;
    inner().submit(std::move(request),
                   [this, again = std::move(again), translated = std::move(translated)](zk::Reply&& reply) mutable {
                       if (reply.ec != server_error::no_node) return translated(std::move(reply));
                       on_missing(std::move(again), std::move(reply), translated);
                   });
}

void NameSpace::submit_prefix(const std::shared_ptr<ParentAnswers>& answers) {
    inner().submit_prefix(answers);
    submit_ancestors(inner(), prefix_.text() + "/child", config().own_parents, {}, answers);
}

/// Creates the prefix, and sends the request again if the prefix was missing. Reads whether the prefix exists in the end,
/// because a refused create does not tell.
void NameSpace::on_missing(zk::Request request, zk::Reply&& reply, const zk::ReplyHandler& handler) {
    const auto answers = std::make_shared<ParentAnswers>();
    submit_prefix(answers);
    inner().submit(zk::ExistsRequest{prefix_.text()}, [this, self = shared_from_this(), answers, request = std::move(request),
                                                       reply = std::move(reply), handler](const zk::Reply& there) mutable {
        if (answers->any_made()) return inner().submit(std::move(request), handler);
        const error_code ec = error_of_create(inner(), there.ec, answers);
        const bool refused = there.ec == server_error::no_node && ec != server_error::no_node;
        handler(refused ? zk::Reply{.ec = ec} : std::move(reply));
    });
}

void NameSpace::forget_watch(const std::string& path, zk::WatchKind kind) {
    inner().forget_watch(prefix_.add(path), kind);
}

void NameSpace::remove_in_background(RemovalOrder order, Removed done) {
    order.path = prefix_.add(order.path);
    inner().remove_in_background(std::move(order), std::move(done));
}

} // namespace docent::detail
