// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <pthread.h>

namespace docent::detail {

/// What two processors write to should be so far apart, or each would wait for the other one's cache.
inline constexpr std::size_t apart = 64;

/// Threads are told apart by their stacks, into so many kinds: no two of one kind, but where there are many more threads than
/// processors.
inline constexpr std::size_t kinds_of_threads = 8;
inline std::size_t index_of_this_thread() noexcept {
    constexpr std::uintptr_t page = 4096; // threads that begin one after the other are a stack, and a page, apart
    return static_cast<std::uintptr_t>(::pthread_self()) / page % kinds_of_threads;
}

/// Another owner of the same object, which counts its references elsewhere.
template <typename T> std::shared_ptr<T> counted_apart(std::shared_ptr<T> object) {
    struct alignas(apart) Owner {
        std::shared_ptr<T> object;
    };
    T* const it = object.get();
    return std::shared_ptr<T>(std::make_shared<Owner>(Owner{std::move(object)}), it);
}

/// An object that many threads own for a moment each.
template <typename T> class SharedByThreads {
public:
    /// None of its owners counts references where another one does, but for threads that are many more than processors.
    void share(const std::shared_ptr<T>& object) {
        for (auto& owner : owners_) owner = counted_apart(object);
    }
    void reset() { owners_ = {}; }
    /// The one for this thread; null if nothing is shared.
    const std::shared_ptr<T>& here() const noexcept { return owners_[index_of_this_thread()]; }

private:
    std::array<std::shared_ptr<T>, kinds_of_threads> owners_;
};

} // namespace docent::detail
