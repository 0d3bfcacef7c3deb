// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace docent::detail {

/// Returns a number that differs between the calling process and its ancestors. Makes no system call.
DOCENT_EXPORT std::uint64_t this_process() noexcept;
/// Keeps `object` alive until the process ends.
DOCENT_EXPORT void keep_for_ever(std::shared_ptr<void> object) noexcept;

/// A shared pointer to the implementation of a public object, or to an I/O object of Asio. A child process never destroys the
/// object.
///
/// The reason: in a child made by `fork()`, the destructor could wait for threads and locks that do not exist there, and the
/// parent would notice its effects, for example a closed socket.
template <typename T> class ProcessOwned : public std::shared_ptr<T> {
public:
    /// Makes an empty object.
    ProcessOwned() = default;
    /// Takes an object that the calling process has made.
    ProcessOwned(std::shared_ptr<T> object) noexcept : std::shared_ptr<T>(std::move(object)) { // NOLINT(*-explicit-*)
        if (*this) process_ = this_process();
    }
    /// Copies the pointer and the number of its process.
    ProcessOwned(const ProcessOwned&) = default;
    /// Takes the pointer of another object.
    ProcessOwned(ProcessOwned&&) noexcept = default;
    /// Copies the pointer and the number of its process.
    ProcessOwned& operator=(const ProcessOwned& other) {
        ProcessOwned(other).exchange(*this);
        return *this;
    }
    /// Takes the pointer of another object.
    ProcessOwned& operator=(ProcessOwned&& other) noexcept {
        ProcessOwned(std::move(other)).exchange(*this);
        return *this;
    }
    /// Releases the object, or keeps it for ever if another process made it.
    ~ProcessOwned() {
        if (is_foreign()) keep_for_ever(std::move(*this));
    }

    /// Returns the object, or null if there is none or another process made it.
    T* own() const noexcept { return is_foreign() ? nullptr : this->get(); }
    /// Returns whether another process made the object.
    bool is_foreign() const noexcept { return *this && process_ != this_process(); }

private:
    void exchange(ProcessOwned& other) noexcept {
        this->swap(other);
        std::swap(process_, other.process_);
    }

    std::uint64_t process_ = 0;
};

} // namespace docent::detail
