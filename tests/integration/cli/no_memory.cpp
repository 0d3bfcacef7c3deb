// SPDX-License-Identifier: Apache-2.0

// Preloaded before the C++ library (LD_PRELOAD): one allocation of the first thread fails in the process whose id is in the
// file $DOCENT_TEST_NO_MEMORY.

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> has_failed{false};

bool fails() {
    const char* const path = std::getenv("DOCENT_TEST_NO_MEMORY");
    if (path == nullptr || ::gettid() != ::getpid() || has_failed) return false;
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    std::array<char, 32> text{};
    const ssize_t length = ::read(file, text.data(), text.size() - 1);
    ::close(file);
    return length > 0 && std::atoi(text.data()) == ::getpid() && !has_failed.exchange(true);
}

} // namespace

void* operator new(std::size_t size) {
    void* const memory = fails() ? nullptr : std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
