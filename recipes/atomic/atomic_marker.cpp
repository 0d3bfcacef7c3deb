// SPDX-License-Identifier: Apache-2.0
#include "atomic/atomic_marker.hpp"

#include "base/doubt.hpp"

#include <utility>

namespace docent::detail {
namespace {

constexpr std::size_t marker_place = 0; // in the transaction
constexpr std::size_t value_place = 1;

/// Whether it is this operation that the server has refused; it fills what came after it with "runtime inconsistency".
error_code refusal(const zk::Reply& reply, std::size_t place) {
    if (place >= reply.results.size()) return {};
    const error_code ec = reply.results[place].ec;
    return ec == server_error::runtime_inconsistency ? error_code{} : ec;
}

} // namespace

zk::Request AtomicMarker::write(const std::string& path, std::string data, const WriteValue& how) {
    written_ = std::to_string(++last_id_);
    zk::MultiRequest both;
    both.operations.emplace_back(zk::SetRequest{path_, written_, version_});
    if (how.create) both.operations.emplace_back(zk::CreateRequest{.path = path, .data = std::move(data)});
    else both.operations.emplace_back(zk::SetRequest{path, std::move(data), how.version});
    return both;
}

WriteAnswer AtomicMarker::on_written(const zk::Reply& reply) {
    using enum WriteAnswer::Kind;
    if (!reply.ec) {
        ++version_;
        return {applied};
    }
    if (is_lost(reply.ec)) return {lost, reply.ec};
    if (const error_code ec = refusal(reply, marker_place)) {
        const bool gone = ec == server_error::no_node || ec == server_error::bad_version;
        return {gone ? no_marker : failed, ec};
    }
    if (const error_code ec = refusal(reply, value_place)) return {refused, ec};
    return {failed, reply.ec};
}

zk::Request AtomicMarker::fence() {
    return zk::SetRequest{path_, std::to_string(++last_id_), version_};
}

AtomicMachine::Finding AtomicMarker::on_read(const zk::Reply& reply) {
    using enum AtomicMachine::Finding;
    const std::int32_t before = version_;
    if (reply.ec || reply.stat.version == before) return nothing; // nor was the fence written
    version_ = reply.stat.version;
    return reply.data == written_ ? applied : not_applied;
}

} // namespace docent::detail
