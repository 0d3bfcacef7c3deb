// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace docent {

/// How often a client shows the servers that it is alive. Both kinds report a loss before the servers can give a lock away;
/// docs/guarantees.md ("Relaxed heartbeats") compares them. T is the session timeout.
/// ```cpp
/// docent::Client member{{.session_timeout = 20s, .heartbeats = docent::Heartbeats::relaxed}};
/// ```
/// @ingroup client
enum class Heartbeats {
    /// Every T/16 while the client holds leases, and every T/6 otherwise. A lock survives an outage in which all servers
    /// close their connections for up to T/2, or in which the network loses all packets for up to 3/8 T.
    frequent,
    /// Every 3/16 T, a third of the load of `frequent`, for fleets of thousands of clients. A lock survives either kind of
    /// outage for up to T/6. Choose a longer T to make up for it.
    ///
    /// The client also waits for a random time of up to T/10, but at most 4 s, before it connects, at its start too. So the
    /// clients of a fleet do not connect all at once.
    relaxed,
};

} // namespace docent
