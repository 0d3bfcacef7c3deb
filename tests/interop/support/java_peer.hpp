// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "peer.hpp"

namespace docent::test {

using JavaAnswer = PeerAnswer;

/// A Java program that does with Apache Curator what it is told.
class JavaPeer : public Peer {
public:
    JavaPeer();
};

} // namespace docent::test
