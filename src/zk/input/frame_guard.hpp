// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/input/reply_check.hpp"

#include <cstddef>
#include <string>

namespace docent::zk {

/// Checks a server's bytes in the socket without reading them, and lets the C client read whole, sound frames only. A frame
/// larger than the socket's buffer is read into this object until it is whole.
class FrameGuard {
public:
    enum class Next {
        frame,   // let the C client read: it finds one whole, sound frame
        kept,    // hand the C client what take_kept() returns: one whole, sound frame
        ended,   // let the C client read: it finds the end of the connection
        nothing, // wait until the socket is readable
        later,   // the frame is incomplete, and the socket cannot signal its end: look again later
        refused  // never let the C client read these bytes
    };

    /// What to do with the first frame. After `frame`, the C client must read the frame before the next call.
    Next next(int descriptor, const FrameDue& due);

    /// The frame, after `kept`. An answer longer than `longest_frame` is discarded. In its place the C client gets
    /// `too_large_reply()`.
    std::string take_kept();

    /// The length of the frame that had arrived in part at the last next(); 0 without one, or if its length is not known.
    std::size_t arriving() const {
        const std::size_t size = wanted_ > 0 ? wanted_ : partial_;
        return size > 0 ? size - length_size : 0;
    }

    /// Forgets the copy of the socket's bytes.
    void begin_turn();
    /// Begins with a new socket, which wakes for each byte.
    void begin_socket();

private:
    enum class Peek { open, ended };
    Peek peek(int descriptor, std::size_t size);
    Next wait_for(int descriptor, std::size_t size, const FrameDue& due);
    Next keep(int descriptor, const FrameDue& due);
    bool throws_away() const { return wanted_ > longest_frame; }

    std::string arrived_; // a copy of the bytes in the socket
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool had_all_ = false;     // the last copy held all bytes of the socket
    std::size_t wakes_at_ = 1; // the number of bytes that make the socket readable
    std::size_t partial_ = 0;  // the size of a frame that has arrived in part

    // A frame that is read out of the socket:
    std::size_t wanted_ = 0; // its size; 0 without such a frame
    std::size_t thrown_ = 0; // the number of its bytes that were discarded
    std::string kept_;       // its other bytes
};

} // namespace docent::zk
