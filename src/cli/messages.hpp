// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace docent::cli {

/// Exit codes, from sysexits.h and from shells. If CMD has ended by itself, `docent lock` exits with CMD's code.
namespace exit_code {
inline constexpr int success = 0;
inline constexpr int failure = 1;      // the server refused the request, or the node of `exists` does not exist
inline constexpr int usage = 64;       // nothing was sent
inline constexpr int unavailable = 69; // no ZooKeeper answered
inline constexpr int not_acquired = 75;
inline constexpr int lock_lost = 76;
inline constexpr int held_too_long = 124; // the code of timeout(1)
inline constexpr int not_executable = 126;
inline constexpr int not_found = 127;
constexpr int by_signal(int number) {
    return 128 + number;
}
} // namespace exit_code

/// Whether a write to the descriptor would not block.
bool takes_text(int fd);

/// Writes texts to a descriptor, in order, on a separate thread. A write may block for ever or raise SIGPIPE or SIGTTOU; the
/// thread blocks these signals. The thread may outlive this object. It ends with the process.
class ErrorWriter {
public:
    explicit ErrorWriter(int fd);
    ErrorWriter(const ErrorWriter&) = delete;
    ErrorWriter& operator=(const ErrorWriter&) = delete;

    /// Never waits. Drops texts if too many wait to be written.
    void post(std::string text);

    /// Waits until all texts are written, for `longest` at most. Returns whether they are.
    bool flush(std::chrono::milliseconds longest);

    /// Whether a write would not block.
    bool is_writable() const;

private:
    struct Shared {
        explicit Shared(int to) : fd(to) {}
        const int fd;
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<std::string> texts; // the first is being written
        bool running = false;
    };
    static void run(const std::shared_ptr<Shared>& shared);

    const std::shared_ptr<Shared> shared_; // shared with the thread
};

/// The message of the commands that show holders and waiters.
inline constexpr std::string_view no_such_node = "there is no such node, so nobody holds or waits there";

/// Prints one line on standard error, with the program's name in front. Waits until it is written, for a second at most: a full
/// pipe, or a terminal after ^S, must not delay a lock.
void print_error(std::string_view line);

/// The same without waiting, for callers that have a time limit. flush_errors() or the next print_error() waits.
void post_error(std::string_view line);
void flush_errors();

/// From now on, a std::bad_alloc that no function catches, on any thread, ends the process with one line on standard error and
/// exit_code::failure.
void end_when_out_of_memory();

/// Writes to standard output, unbuffered. Throws std::runtime_error on a failure, for example on a full disk.
void print(std::string_view bytes);

} // namespace docent::cli
