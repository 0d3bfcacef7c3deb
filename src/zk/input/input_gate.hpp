// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/input/reply_check.hpp"

#include <cstddef>
#include <string>

namespace docent::zk {

/// Stands before a socket: looks at what a server has sent without taking it, and lets the C client read one frame after the
/// other, whole and sound. A frame that is larger than what the system keeps in a socket is taken out of it, and kept here
/// until it is whole.
class InputGate {
public:
    enum class Next {
        frame,   // let the C client read: it finds one whole, sound frame
        kept,    // hand the C client what take_kept() returns: one whole, sound frame
        ended,   // let it read: it finds the end of the connection
        nothing, // the socket becomes readable when there is more
        later,   // there is some of a frame, and the socket does not tell when there is all of it: look again
        refused  // never let it read this
    };

    /// What to do with the frame in front. After `frame`, the C client must have read it before this is asked again.
    Next next(int descriptor, const FrameDue& due);

    /// After `kept`. It may be shorter than what the server has sent: an answer longer than `longest_frame` is thrown away, and
    /// the C client gets one with the error `reply_too_large_code` in its place.
    std::string take_kept();

    /// From here on the socket is read from where it is.
    void begin_turn();
    /// It is another one, that wakes for each byte.
    void begin_socket();

private:
    enum class Peek { open, ended };
    Peek peek(int descriptor, std::size_t size);
    Next wait_for(int descriptor, std::size_t size, const FrameDue& due);
    Next keep(int descriptor, const FrameDue& due);
    bool throws_away() const { return wanted_ > longest_frame; }

    std::string arrived_; // a copy of what is in the socket
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool had_all_ = false;     // what was copied last was all that there was
    std::size_t wakes_at_ = 1; // how many bytes make the socket readable

    // Of a frame that is taken out of the socket.
    std::size_t wanted_ = 0; // its size; 0: there is none
    std::size_t thrown_ = 0; // of its bytes
    std::string kept_;       // the others
};

/// How many bytes a socket must hold to be readable; false if the system cannot hold so many.
bool wake_at(int descriptor, std::size_t size);

/// Ends both directions, and throws away what has arrived, which a read would find otherwise.
void shut_and_discard(int descriptor);

} // namespace docent::zk
