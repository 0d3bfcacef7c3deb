// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks the process that an object belongs to. After fork(), the child has a copy of each object, with descriptors that it
// shares with its parent, and without the parent's threads. An object that must not be used there checks its mark first.

#include <atomic>
#include <cstdint>
#include <memory>

namespace docent::posix {

namespace detail {
/// Points to the number of this process. The kernel, or a handler of pthread_atfork(), sets the number to 0 in each child.
extern std::atomic<std::atomic<std::uint64_t>*> process_number;
std::uint64_t number_this_process() noexcept;
} // namespace detail

/// The number of the calling process, different from those of all its ancestors. Never 0. Costs two reads of memory and no
/// system call, unlike getpid().
///
/// A child that shares its parent's memory (vfork(), clone() with CLONE_VM) has its parent's number.
inline std::uint64_t this_process() noexcept {
    const std::uint64_t number = detail::process_number.load()->load();
    return number != 0 ? number : detail::number_this_process();
}

/// Remembers the process that made it.
class ProcessMark {
public:
    bool is_here() const noexcept { return process_ == this_process(); }

private:
    std::uint64_t process_ = this_process();
};

/// Keeps the object for ever, in a place where a leak checker finds it. Without memory, a leak checker reports the object.
void keep_for_ever(std::shared_ptr<void> object) noexcept;

/// The T of this process. The first call in a process makes it, also in a child: the parent's object may have a locked mutex or
/// a missing thread. It is never destroyed, because threads may use it when the program exits.
template <typename T> T& of_this_process() {
    struct Made {
        const Made* of_parent; // never used; a leak checker finds the parent's object here
        ProcessMark mark = {};
        T object = {};
    };
    static std::atomic<Made*> current{nullptr};
    Made* known = current.load();
    while (known == nullptr || !known->mark.is_here()) {
        auto* const fresh = new Made{known};
        if (current.compare_exchange_strong(known, fresh)) return fresh->object;
        delete fresh;
    }
    return known->object;
}

} // namespace docent::posix
