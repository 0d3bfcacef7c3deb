// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/options.hpp"

#include <cstdint>
#include <functional>
#include <memory>

/// Another kind of lock, for one client with one connection. Its calls block. Use it from one thread.
class PeerLock {
public:
    virtual ~PeerLock() = default;
    virtual void acquire() = 0;
    virtual void release() = 0;
    /// Sends the smallest possible request to the server, as a measure for the others.
    virtual void ping() = 0;
    /// Returns the number of requests so far.
    std::int64_t requests() const { return requests_; }

protected:
    std::int64_t requests_ = 0;
};

/// Makes a lock with a connected client; `name` is the lock's name. Errors: throws.
using MakePeerLock = std::function<std::unique_ptr<PeerLock>(const Options& options, const std::string& name)>;

/// Does everything that main() does: the works `free`, `contended` (a thread for each client) and `rtt` of lock_workload.
int run_peer(int argc, char** argv, const char* program, const std::string& peer, MakePeerLock make);
