// SPDX-License-Identifier: Apache-2.0
#include "atomic/atomic_marker.hpp"

#include "base/doubt.hpp"

#include <utility>

namespace docent::detail {
namespace {

constexpr std::size_t marker_place = 0; // index in the transaction
constexpr std::size_t value_place = 1;

/// The error of this operation, if the server has refused it. Operations after the refused one have "runtime inconsistency".
error_code refusal(const zk::Reply& reply, std::size_t place) {
    if (place >= reply.results.size()) return {};
    const error_code ec = reply.results[place].ec;
    return ec == server_error::runtime_inconsistency ? error_code{} : ec;
}

} // namespace

zk::Request AtomicMarker::write(const std::string& path, std::string data, const WriteValue& how) {
    zk::MultiRequest both;
    both.operations.emplace_back(next());
    if (how.create) both.operations.emplace_back(zk::CreateRequest{.path = path, .data = std::move(data)});
    else both.operations.emplace_back(zk::SetRequest{path, std::move(data), how.version});
    return both;
}

WriteAnswer AtomicMarker::on_written(const zk::Reply& reply) {
    using enum WriteAnswer::Kind;
    if (!reply.ec) {
        on_applied();
        return {applied};
    }
    if (is_lost(reply.ec)) return {lost, reply.ec};
    if (const error_code ec = refusal(reply, marker_place)) {
        return {is_gone(ec) ? no_marker : failed, ec};
    }
    if (const error_code ec = refusal(reply, value_place)) return {refused, ec};
    return {failed, reply.ec};
}

} // namespace docent::detail
