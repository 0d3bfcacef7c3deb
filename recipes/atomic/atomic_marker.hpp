// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tells whether a write was applied whose reply was lost: a node that nobody but one object writes to, in the same
// transaction as the value. It is made before, and every write to it asks for the version that the last one left.
//
//     write     set(marker, id, version), and the value: both or none
//     find out  set(marker, another id, version), read it: refused, if the write was applied before; else it never will be,
//               for its version is gone, wherever it is on its way, and in whatever session it was sent
//
// Hence no `sync` is needed, and nothing is taken for granted of connections, servers and sessions.

#include "atomic/atomic_machine.hpp"
#include "zk/request.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace docent::detail {

/// Pure.
class AtomicMarker {
public:
    AtomicMarker() = default;
    explicit AtomicMarker(std::string path) : path_(std::move(path)) {}

    const std::string& path() const { return path_; }
    /// It was there once, for certain. Without that nothing may be written: a node that is missing could otherwise be one that
    /// was never made, as well as one that was taken away after a write.
    bool made() const { return made_; }

    zk::Request make() const { return zk::CreateRequest{.path = path_, .data = "0"}; }
    /// Nobody else has its name: if it exists, an earlier request has made it.
    void on_made(const error_code& ec) { made_ = made_ || !ec || ec == server_error::node_exists; }

    /// The next write: of the value at `path`, whose data is as it is sent.
    zk::Request write(const std::string& path, std::string data, const WriteValue& how);
    WriteAnswer on_written(const zk::Reply& reply);

    /// What finds out what became of the last write; then the node is read.
    zk::Request fence();
    AtomicMachine::Finding on_read(const zk::Reply& reply);

private:
    std::string path_;
    bool made_ = false;
    std::int32_t version_ = 0;
    std::uint64_t last_id_ = 0; // that was given to a write, or to a fence
    std::string written_;       // the id of the last write
};

} // namespace docent::detail
