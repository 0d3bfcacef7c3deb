// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "peer.hpp"

namespace docent::test {

using JavaAnswer = PeerAnswer;

/// A Java program that carries out commands with Apache Curator.
class JavaPeer : public Peer {
public:
    JavaPeer();
};

} // namespace docent::test
