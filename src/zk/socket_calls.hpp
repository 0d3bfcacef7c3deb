// SPDX-License-Identifier: Apache-2.0
#pragma once

// System calls for the C client's sockets: their state, their options, and the bytes that docent discards.

#include <sys/types.h>

#include <cstddef>

namespace docent::zk {

/// Which of ZOOKEEPER_READ and ZOOKEEPER_WRITE a socket is ready for at once.
int ready_for(int descriptor, int interest);
/// Whether the server has closed its side: no more bytes will arrive.
bool is_over(int descriptor);
/// The number of bytes that have arrived and were not read.
std::size_t bytes_in(int descriptor);

/// Sets the number of bytes that make a socket readable. Returns false if the socket cannot hold so many, or cannot wait for
/// more than one.
bool wake_at(int descriptor, std::size_t size);
/// Gives the socket the largest receive buffer that the system allows, so that the server can send the end of a frame.
void make_room(int descriptor);

/// While a socket is corked, the kernel sends small packets together.
void cork(int descriptor, bool on);
/// Sends the bytes that wait in a corked socket. The socket stays corked.
void uncork_once(int descriptor);

/// Reads and discards bytes that have arrived, `most` at most. Returns what recv() returns, and sets errno as it does.
ssize_t discard(int descriptor, std::size_t most);
/// Ends both directions of a socket and discards bytes that have arrived.
void shut_and_discard(int descriptor);

} // namespace docent::zk
