// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which process an object belongs to. After fork() the child has a copy of each object, and with it descriptors that it shares
// with its parent, and threads that do not exist. What must not be used there asks its mark first.

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace docent::posix {

namespace detail {
/// Where the number of this process is. The kernel, or a handler of pthread_atfork(), sets the number to 0 in each child.
extern std::atomic<std::atomic<std::uint64_t>*> process_number;
std::uint64_t number_this_process() noexcept;
} // namespace detail

/// A number that the calling process has, and none of its ancestors. Never 0. Two reads of memory, no system call: getpid()
/// would be one.
///
/// Not noticed is a child that shares its parent's memory (vfork(), clone() with CLONE_VM): for the time of that, it is its
/// parent.
inline std::uint64_t this_process() noexcept {
    const std::uint64_t number = detail::process_number.load(std::memory_order_acquire)->load(std::memory_order_relaxed);
    return number != 0 ? number : detail::number_this_process();
}

/// Names the process that has made it.
class ProcessMark {
public:
    bool is_here() const noexcept { return process_ == this_process(); }

private:
    std::uint64_t process_ = this_process();
};

/// Never gives up what it is given, and keeps it where a leak checker finds it. Without memory for that, no leak checker does.
void keep_for_ever(std::shared_ptr<void> object) noexcept;

/// An object that only the process which has made it may use or destroy, such as an I/O object of Asio. In any other process
/// the destructor leaves the object as it is.
template <typename T> class ProcessBound {
public:
    template <typename... Args>
    explicit ProcessBound(std::in_place_t, Args&&... args) : object_(std::make_unique<T>(std::forward<Args>(args)...)) {}
    ~ProcessBound() {
        if (mark_.is_here()) return;
        try {
            keep_for_ever(std::shared_ptr<T>(object_.release(), [](T*) {}));
        } catch (...) { // without memory for this, it is kept all the same
        }
    }
    ProcessBound(const ProcessBound&) = delete;
    ProcessBound& operator=(const ProcessBound&) = delete;

    bool is_here() const noexcept { return mark_.is_here(); }
    T& operator*() const noexcept { return *object_; }
    T* operator->() const noexcept { return object_.get(); }

private:
    std::unique_ptr<T> object_;
    ProcessMark mark_;
};

} // namespace docent::posix
