// SPDX-License-Identifier: Apache-2.0
#pragma once

// A process for each item. Each process is a separate docent that holds the lock of its item and runs CMD under it, so that
// CMD has the same guard as CMD of docent lock.

#include "posix/descriptors.hpp"
#include "posix/event_fd.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <sys/types.h>

namespace docent::cli {

/// Starts the processes of items. A program with other threads must not go on after fork(), so a helper process without other
/// threads forks. If docent ends, the helper ends all items. If the helper ends, all items end.
///
/// The process of each item calls setsid(). So signals of the terminal reach docent only, and each CMD is asked to end once, by
/// the signal that it expects. A signal that a CMD sends to its process group reaches no other item.
class ItemProcesses {
public:
    /// Runs in the process of an item, and returns its exit code. `ends` is raised when the item must end.
    using Run = std::function<int(const std::string& item, const std::shared_ptr<posix::EventFd>& ends)>;

    /// Make it before other threads are started. Throws std::system_error.
    explicit ItemProcesses(Run run);
    /// Ends all items, and waits for the helper.
    ~ItemProcesses();
    ItemProcesses(const ItemProcesses&) = delete;
    ItemProcesses& operator=(const ItemProcesses&) = delete;

    /// Starts the process of an item. Call it only while the item has no process.
    void begin(const std::string& item);
    /// Lets CMD and all processes that it started end, and then the process of the item.
    void end(const std::string& item);

    /// Readable when next_ended() or lost() may have changed.
    int fd() const noexcept { return orders_.get(); }
    struct Ended {
        std::string item;
        int exit_code; // of the process, as a shell reports it
        int error;     // errno, if the process could not be made
    };
    /// The next process that has ended; never waits.
    std::optional<Ended> next_ended();
    /// Whether the helper has ended. Known after next_ended().
    bool lost() const noexcept { return lost_; }

private:
    void give(char kind, const std::string& item);

    posix::UniqueFd orders_;
    pid_t helper_ = 0;
    bool lost_ = false;
};

} // namespace docent::cli
