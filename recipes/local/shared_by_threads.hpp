// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "local/thread_kind.hpp"

#include <array>
#include <memory>
#include <utility>

namespace docent::detail {

/// Another owner of the same object, which counts its references elsewhere.
template <typename T> std::shared_ptr<T> counted_apart(std::shared_ptr<T> object) {
    struct alignas(apart) Owner {
        std::shared_ptr<T> object;
    };
    T* const it = object.get();
    return std::shared_ptr<T>(std::make_shared<Owner>(Owner{std::move(object)}), it);
}

/// An object that many threads own for a moment each: an owner for each kind of them.
template <typename T> class SharedByThreads {
public:
    SharedByThreads() = default;
    explicit SharedByThreads(const std::shared_ptr<T>& object) { share(object); }

    void share(const std::shared_ptr<T>& object) {
        for (auto& owner : owners_) owner = counted_apart(object);
    }
    void reset() { owners_ = {}; }
    /// The one for this thread; where nothing is shared, the other one.
    const std::shared_ptr<T>& here_or(const std::shared_ptr<T>& other) const {
        const auto& here = owners_[kind_of_this_thread()];
        return here ? here : other;
    }

private:
    std::array<std::shared_ptr<T>, kinds_of_threads> owners_;
};

} // namespace docent::detail
