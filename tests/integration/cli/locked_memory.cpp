// SPDX-License-Identifier: Apache-2.0

// Preloaded before the C library (LD_PRELOAD): while another process has a lock on the file $DOCENT_TEST_LOCKED_MEMORY, nobody
// can read the environment of any process, as if its memory were locked. Each reader adds a byte to the file, and then waits.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <string_view>

extern "C" int openat(int folder, const char* name, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    const char* const locked = std::getenv("DOCENT_TEST_LOCKED_MEMORY");
    if (locked != nullptr && std::string_view(name).ends_with("/environ")) {
        const int file = ::open(locked, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (::write(file, "x", 1) == 1) ::flock(file, LOCK_SH);
        ::close(file);
    }
    using Open = int (*)(int, const char*, int, mode_t);
    return reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "openat"))(folder, name, flags, mode);
}
