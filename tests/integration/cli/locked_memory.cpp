// SPDX-License-Identifier: Apache-2.0

// Preloaded before the C library (LD_PRELOAD): while the file $DOCENT_TEST_LOCKED_MEMORY exists, nobody can read the
// environment of any process, as if its memory were locked.

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <string_view>

namespace {

int open_later(const char* function, int folder, const char* name, int flags, mode_t mode) {
    constexpr useconds_t pause = 10'000;
    const char* const file = std::getenv("DOCENT_TEST_LOCKED_MEMORY");
    while (std::string_view(name).ends_with("/environ") && file != nullptr && ::access(file, F_OK) == 0) ::usleep(pause);
    using Open = int (*)(int, const char*, int, mode_t);
    return reinterpret_cast<Open>(::dlsym(RTLD_NEXT, function))(folder, name, flags, mode);
}

mode_t mode_of(int flags, va_list rest) {
    return (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
}

} // namespace

extern "C" int openat(int folder, const char* name, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_later("openat", folder, name, flags, mode);
}

extern "C" int openat64(int folder, const char* name, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_later("openat64", folder, name, flags, mode);
}
