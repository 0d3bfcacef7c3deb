// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tells whether a write was applied whose reply was lost: a node that only one writer at a time writes to, in the same
// multi as what is written. It is made before, and every write to it asks for the version that the last one left.
//
//     write     set(marker, id, version), and what is written: all or nothing
//     find out  set(marker, another id, version), read it: refused, if the write was applied before; else it never will be,
//               for its version is gone, wherever it is on its way, and in whatever session it was sent
//
// Hence no `sync` is needed, and nothing is taken for granted of connections, servers and sessions. If somebody removes the
// marker, nobody can tell what became of the write, and nothing else is concluded.

#include "zk/request.hpp"

#include <docent/create_mode.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace docent::detail {

/// Pure.
class WriteMarker {
public:
    enum class Finding { applied, not_applied, nothing };
    struct Answer {
        error_code ec; // no server has answered
        Finding finding = Finding::nothing;
    };

    WriteMarker() = default;
    explicit WriteMarker(std::string path, CreateMode mode = CreateMode::persistent) : path_(std::move(path)), mode_(mode) {}

    const std::string& path() const { return path_; }
    /// It was there once, for certain. Without that nothing may be written: a node that is missing could otherwise be one that
    /// was never made, as well as one that was taken away after a write.
    bool made() const { return made_; }

    zk::Request make() const { return zk::CreateRequest{.path = path_, .data = "0", .mode = mode_}; }
    /// Nobody else has its name: if it exists, an earlier request has made it.
    void on_made(const error_code& ec) { made_ = made_ || !ec || ec == server_error::node_exists; }

    /// What goes with the next write.
    zk::SetRequest next();
    /// The last write was applied, as its reply says.
    void on_applied() { ++version_; }
    /// That a write was refused with this for its marker: there is none, or somebody else has written to it.
    static bool is_gone(const error_code& ec) { return ec == server_error::no_node || ec == server_error::bad_version; }

    /// What finds out what became of the last write; then the node is read.
    zk::Request fence();
    /// The answer to that read; `fenced`: to what was sent before it.
    Answer on_read(const zk::Reply& read, const error_code& fenced = {});

private:
    std::string path_;
    CreateMode mode_ = CreateMode::persistent;
    bool made_ = false;
    std::int32_t version_ = 0;
    std::uint64_t last_id_ = 0; // that was given to a write, or to a fence
    std::string written_;       // the id of the last write
};

} // namespace docent::detail
