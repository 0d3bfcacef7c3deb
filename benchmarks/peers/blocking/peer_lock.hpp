// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/options.hpp"

#include <cstdint>
#include <functional>
#include <memory>

/// A lock of another kind, by one client with a connection of its own; its calls block, on one thread.
class PeerLock {
public:
    virtual ~PeerLock() = default;
    virtual void acquire() = 0;
    virtual void release() = 0;
    /// The least that can be asked of the server: the yardstick.
    virtual void ping() = 0;
    /// Requests that were sent so far.
    std::int64_t requests() const { return requests_; }

protected:
    std::int64_t requests_ = 0;
};

/// Makes a connected client's lock; `name` is that of the lock. Errors: throws.
using MakePeerLock = std::function<std::unique_ptr<PeerLock>(const Options& options, const std::string& name)>;

/// The works `free`, `contended` (a thread each client) and `rtt` of lock_workload; what main() does.
int run_peer(int argc, char** argv, const char* program, const std::string& peer, MakePeerLock make);
