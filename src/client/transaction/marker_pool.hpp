// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"
#include "client/transaction/write_marker.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace docent::detail {

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

    /// Returns an idle marker, or a new one, whose node must be created.
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
