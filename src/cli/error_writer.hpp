// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace docent::cli {

/// Writes texts to a descriptor, in order, on a separate thread. A write may block for ever or raise SIGPIPE or SIGTTOU; the
/// thread blocks these signals. The thread may outlive this object. It ends with the process.
class ErrorWriter {
public:
    explicit ErrorWriter(int fd);
    ~ErrorWriter();
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

} // namespace docent::cli
