// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace docent::cli {

/// Writes texts to a descriptor, in their order, on a thread of its own: a write may take for ever, and raise SIGPIPE or
/// SIGTTOU, of which that thread takes none. It outlives this object if need be, and ends with the process.
class ErrorWriter {
public:
    explicit ErrorWriter(int fd);
    ~ErrorWriter();
    ErrorWriter(const ErrorWriter&) = delete;
    ErrorWriter& operator=(const ErrorWriter&) = delete;

    /// Never waits. More than a few texts that nobody reads are dropped.
    void post(std::string text);

    /// Waits until all is written, or for that long. Whether it is.
    bool flush(std::chrono::milliseconds longest);

    /// Whether a write would not have to wait.
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

    const std::shared_ptr<Shared> shared_; // with the thread
};

} // namespace docent::cli
