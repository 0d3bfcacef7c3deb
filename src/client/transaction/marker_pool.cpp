// SPDX-License-Identifier: Apache-2.0

#include "client/transaction/marker_pool.hpp"
#include "base/protection.hpp"
#include "base/time_over.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <utility>

namespace docent::detail {

zk::SetRequest WriteMarker::next() {
    written_ = std::to_string(++last_id_);
    return {path_, written_, version_};
}

zk::Request WriteMarker::fence() {
    return zk::SetRequest{path_, std::to_string(++last_id_), version_};
}

/// The last write and the fences require the same version. So at most one of them is applied, and raises the version by one. A
/// different version means: another client has written to the marker, the ensemble went back, or no server took the fence.
WriteMarker::Answer WriteMarker::on_read(const zk::Reply& read, const error_code& fenced) {
    if (read.ec == server_error::no_node) return {};
    if (read.ec) return {read.ec};
    if (read.stat.version != version_ + 1)
        return {is_lost(fenced) ? fenced : error_code{}}; // a busy server refuses single requests
    version_ = read.stat.version;
    return {{}, read.data == written_ ? Finding::applied : Finding::not_applied};
}

namespace {

std::string path_of(const std::string& parent, const std::string& guid) {
    return join_path(parent, protection_prefix(guid) + "transaction");
}

} // namespace

TransactionMarker::TransactionMarker(std::string parent_of_marker, std::string guid_of_marker, std::uint64_t epoch_of_marker)
    : WriteMarker(path_of(parent_of_marker, guid_of_marker), CreateMode::ephemeral), parent(std::move(parent_of_marker)),
      guid(std::move(guid_of_marker)), epoch(epoch_of_marker) {}

/// Forgets markers of sessions that have ended.
void MarkerPool::forget_old(std::uint64_t epoch) {
    std::erase_if(idle_, [epoch](const Idle& idle) { return idle.marker.epoch != epoch; });
}

TransactionMarker MarkerPool::take(ClientView& view, const std::string& parent) {
    const std::uint64_t epoch = view.session().epoch;
    forget_old(epoch);
    const std::string where = view.server_path(parent);
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const Idle& idle) {
        return parent_path(idle.server_path) == where && idle.marker.parent == parent;
    });
    if (found == idle_.rend()) return {parent, view.new_marked_guid(), epoch};
    TransactionMarker marker = std::move(found->marker);
    idle_.erase(std::next(found).base());
    return marker;
}

void MarkerPool::give_back(ClientView& view, TransactionMarker marker) {
    forget_old(view.session().epoch);
    if (marker.epoch != view.session().epoch) return;
    if (idle_.size() >= most_idle) return remove(view, marker);
    std::string server_path = view.server_path(marker.path());
    idle_.push_back({std::move(server_path), std::move(marker)});
}

void MarkerPool::remove(ClientView& view, const TransactionMarker& marker) {
    if (marker.made()) view.remove_in_background({marker.path()});
    else if (marker.asked_for) view.remove_in_background({marker.parent, marker.guid});
}

void MarkerPool::clear(ClientView& view, const std::string& parent) {
    const std::string where = view.server_path(parent);
    std::erase_if(idle_, [&](const Idle& idle) {
        const bool is_there = parent_path(idle.server_path) == where && idle.marker.parent == parent;
        if (is_there) remove(view, idle.marker);
        return is_there;
    });
}

bool MarkerPool::is_idle(const std::string& server_path) const {
    return std::any_of(idle_.begin(), idle_.end(), [&](const Idle& idle) { return idle.server_path == server_path; });
}

} // namespace docent::detail
