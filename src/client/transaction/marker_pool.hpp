// SPDX-License-Identifier: Apache-2.0
#pragma once

// A marker shows whether a write with a lost reply was applied. The marker is a node to which one writer at a time writes, in
// the same multi as the write itself. It is created before, and each write requires the version that the last write left.
//
//     write     set(marker, id, version), and the user's writes: all or nothing
//     fence     set(marker, another id, version), then read it. The fence is refused if the write was applied before. Otherwise
//               the write can never be applied, because its version is gone: wherever it is under way, in whatever session
//
// So no `sync` is needed, and nothing is assumed about connections, servers and sessions. If another client deletes the marker,
// the result of the write cannot be found out, and no result is assumed.

#include "client/core/client_view.hpp"
#include "zk/request.hpp"

#include <docent/create_mode.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

/// The state of one marker. Pure.
class WriteMarker {
public:
    enum class Finding { applied, not_applied, nothing };
    struct Answer {
        error_code ec; // set if no server has answered
        Finding finding = Finding::nothing;
    };

    WriteMarker() = default;
    explicit WriteMarker(std::string path, CreateMode mode = CreateMode::persistent) : path_(std::move(path)), mode_(mode) {}

    const std::string& path() const { return path_; }
    /// Whether the marker certainly existed once. Before that no write may be sent: a missing marker would not show whether it
    /// was never made or was deleted after a write.
    bool made() const { return made_; }

    zk::Request make() const { return zk::CreateRequest{.path = path_, .data = "0", .mode = mode_}; }
    /// No other client uses this name: if the node exists, an earlier request has made it.
    void on_made(const error_code& ec) { made_ = made_ || !ec || ec == server_error::node_exists; }

    /// The operation that goes into the multi of the next write.
    zk::SetRequest next();
    /// The reply says that the last write was applied.
    void on_applied() { ++version_; }
    /// Whether a write was refused with this error because its marker was deleted, or another client has written to it.
    static bool is_gone(const error_code& ec) { return ec == server_error::no_node || ec == server_error::bad_version; }

    /// The request that settles whether the last write was applied. The marker must be read after it.
    zk::Request fence();
    /// Takes the answer to the read. `fenced`: the error of the fence before the read.
    Answer on_read(const zk::Reply& read, const error_code& fenced = {});

private:
    std::string path_;
    CreateMode mode_ = CreateMode::persistent;
    bool made_ = false;
    std::int32_t version_ = 0;
    std::uint64_t last_id_ = 0; // the last id that was given to a write or a fence
    std::string written_;       // the id of the last write
};

/// A marker of transactions: an ephemeral node of this session. One transaction uses it at a time.
struct TransactionMarker : WriteMarker {
    TransactionMarker(std::string parent, std::string guid, std::uint64_t epoch);

    std::string parent;
    std::string guid;        // in the node's name
    std::uint64_t epoch = 0; // of the node's session
    bool asked_for = false;  // the node may exist
};

/// The idle markers of a client. A client has as many markers as transactions were under way at once, and keeps at most
/// most_idle of them. All end with the session. Used on the client's strand.
class MarkerPool {
public:
    static constexpr std::size_t most_idle = 8;

    /// Returns an idle marker, or a new one. The caller creates the node of a new one.
    TransactionMarker take(ClientView& view, const std::string& parent);
    /// Returns a marker to the pool. Its last write must be certain.
    void give_back(ClientView& view, TransactionMarker marker);
    /// Removes the node of an unusable marker.
    static void remove(ClientView& view, const TransactionMarker& marker);
    /// Removes the idle markers below `parent`, because none is needed soon.
    void clear(ClientView& view, const std::string& parent);

    bool is_idle(const std::string& server_path) const;

private:
    struct Idle {
        std::string server_path;
        TransactionMarker marker;
    };
    void forget_old(std::uint64_t epoch);

    std::vector<Idle> idle_; // the last used one last
};

} // namespace docent::detail
