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
    const std::shared_ptr<T>& here() const noexcept {
        constexpr std::uintptr_t page = 4096; // threads that begin one after the other are a stack, and a page, apart
        return owners_[static_cast<std::uintptr_t>(::pthread_self()) / page % count];
    }

private:
    static constexpr std::size_t count = 8;
    std::array<std::shared_ptr<T>, count> owners_;
};

} // namespace docent::detail
