// SPDX-License-Identifier: Apache-2.0
#include "java_peer.hpp"

#include "testing/process/server_process.hpp"

namespace docent::test {

JavaPeer::JavaPeer()
    : Peer("Java", {docent::testing::find_java().string(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m", "-cp",
                    DOCENT_PEER_CLASS_PATH, "Peer"}) {}

} // namespace docent::test
