// SPDX-License-Identifier: Apache-2.0
#pragma once

// The marker of an atomic value: makes the writes with it, and evaluates their replies. The node stays as long as its object is
// in use, also in later sessions.

#include "atomic/atomic_machine.hpp"
#include "client/transaction/write_marker.hpp"
#include "zk/request.hpp"

#include <string>
#include <utility>

namespace docent::detail {

/// Pure.
class AtomicMarker : public WriteMarker {
public:
    AtomicMarker() = default;
    explicit AtomicMarker(std::string path) : WriteMarker(std::move(path)) {}

    /// The next write of the value at `path`. `data`: as it is sent.
    zk::Request write(const std::string& path, std::string data, const WriteValue& how);
    WriteAnswer on_written(const zk::Reply& reply);
};

} // namespace docent::detail
