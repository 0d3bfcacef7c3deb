// SPDX-License-Identifier: Apache-2.0
#include "client/transaction/write_marker.hpp"

#include "base/doubt.hpp"

namespace docent::detail {

zk::SetRequest WriteMarker::next() {
    written_ = std::to_string(++last_id_);
    return {path_, written_, version_};
}

zk::Request WriteMarker::fence() {
    return zk::SetRequest{path_, std::to_string(++last_id_), version_};
}

/// Whatever was done to the marker since the last write, by it or by a fence, has raised its version by one. Another version is
/// the work of somebody else, or of an ensemble that went back to an older state.
WriteMarker::Answer WriteMarker::on_read(const zk::Reply& read, const error_code& fenced) {
    if (read.ec == server_error::no_node) return {};
    if (read.ec) return {read.ec};
    if (read.stat.version != version_ + 1)
        return {is_lost(fenced) ? fenced : error_code{}}; // a busy server refuses single requests
    version_ = read.stat.version;
    return {{}, read.data == written_ ? Finding::applied : Finding::not_applied};
}

} // namespace docent::detail
