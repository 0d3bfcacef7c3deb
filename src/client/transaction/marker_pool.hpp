// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"
#include "client/transaction/write_marker.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace docent::detail {

/// The marker of one transaction at a time: an ephemeral node of this session.
struct TransactionMarker : WriteMarker {
    TransactionMarker(std::string parent, std::string guid, std::uint64_t epoch);

    std::string parent;
    std::string guid;        // in its name
    std::uint64_t epoch = 0; // of its session
    bool asked_for = false;  // it may exist
};

/// The markers of a client that no transaction uses at the moment. There are as many markers as transactions have been under
/// way at once, and most_idle at the most while there are none; all go with the session. On the client's strand.
class MarkerPool {
public:
    static constexpr std::size_t most_idle = 8;

    /// One that is there, or else a new one, which is to be made.
    TransactionMarker take(ClientView& view, const std::string& parent);
    /// It is certain what was written to it last: it may serve the next one.
    void give_back(ClientView& view, TransactionMarker marker);
    /// It is of no use any more.
    static void remove(ClientView& view, const TransactionMarker& marker);
    /// Nobody will need one at this place soon.
    void clear(ClientView& view, const std::string& parent);

    bool is_idle(const std::string& server_path) const;

private:
    struct Idle {
        std::string server_path;
        TransactionMarker marker;
    };
    void forget_old(std::uint64_t epoch);

    std::vector<Idle> idle_; // last used last
};

} // namespace docent::detail
