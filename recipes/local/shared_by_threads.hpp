// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace docent::detail {

/// A number that no other thread of this process ever gets. The system uses thread ids again.
using ThreadKey = std::uint64_t;

inline ThreadKey this_thread_key() {
    static std::atomic<ThreadKey> last{0};
    thread_local const ThreadKey key = ++last;
    return key;
}

/// The distance in bytes between words that different processors write, so that they do not share a cache line.
inline constexpr std::size_t apart = 64;

/// Threads are divided into so many kinds, in the order of their first use, so that few threads of one kind run at once.
inline constexpr std::size_t kinds_of_threads = 8;
inline std::size_t kind_of_this_thread() {
    return this_thread_key() % kinds_of_threads;
}

/// A second owner of the same object with a separate reference count.
template <typename T> std::shared_ptr<T> counted_apart(std::shared_ptr<T> object) {
    struct alignas(apart) Owner {
        std::shared_ptr<T> object;
    };
    T* const it = object.get();
    return std::shared_ptr<T>(std::make_shared<Owner>(Owner{std::move(object)}), it);
}

/// An object that many threads own for a moment each. Each kind of thread has a separate reference count.
template <typename T> class SharedByThreads {
public:
    SharedByThreads() = default;
    explicit SharedByThreads(const std::shared_ptr<T>& object) { share(object); }

    void share(const std::shared_ptr<T>& object) {
        for (auto& owner : owners_) owner = counted_apart(object);
    }
    void reset() { owners_ = {}; }
    /// The owner for the calling thread; the other pointer if nothing is shared.
    const std::shared_ptr<T>& here_or(const std::shared_ptr<T>& other) const {
        const auto& here = owners_[kind_of_this_thread()];
        return here ? here : other;
    }

private:
    std::array<std::shared_ptr<T>, kinds_of_threads> owners_;
};

} // namespace docent::detail
