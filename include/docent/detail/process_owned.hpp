// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace docent::detail {

/// A number that the calling process has, and none of its ancestors. No system call.
DOCENT_EXPORT std::uint64_t this_process() noexcept;
DOCENT_EXPORT void keep_for_ever(std::shared_ptr<void> object) noexcept;

/// What a public object has of what is behind it. In a child of the process that made the object, it is never given up: the end
/// of what it stands for could wait for threads and locks that are not there, and would be seen by the parent.
template <typename T> class ProcessOwned : public std::shared_ptr<T> {
public:
    ProcessOwned() = default;
    ProcessOwned(std::shared_ptr<T> object) noexcept : std::shared_ptr<T>(std::move(object)) { // NOLINT(*-explicit-*)
        if (*this) process_ = this_process();
    }
    ProcessOwned(const ProcessOwned&) = default;
    ProcessOwned(ProcessOwned&&) noexcept = default;
    ProcessOwned& operator=(const ProcessOwned& other) {
        ProcessOwned(other).exchange(*this);
        return *this;
    }
    ProcessOwned& operator=(ProcessOwned&& other) noexcept {
        ProcessOwned(std::move(other)).exchange(*this);
        return *this;
    }
    ~ProcessOwned() {
        if (is_foreign()) keep_for_ever(std::move(*this));
    }

    /// Whether another process has made it.
    bool is_foreign() const noexcept { return *this && process_ != this_process(); }

private:
    void exchange(ProcessOwned& other) noexcept {
        this->swap(other);
        std::swap(process_, other.process_);
    }

    std::uint64_t process_ = 0;
};

} // namespace docent::detail
