// SPDX-License-Identifier: Apache-2.0

// Preloaded before the C library (LD_PRELOAD): while another process has a lock on the file $DOCENT_TEST_LOCKED_MEMORY, a
// program cannot read the environment of a process, as if its memory were locked. Each read adds a byte to the file, and then
// waits. With $DOCENT_TEST_LOCKED_LIST, the program cannot read the list of all processes instead. The program never finds its
// own cgroup, so docent must search for the processes that it kills.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <string_view>

extern "C" int openat(int folder, const char* name, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    const char* const locked = std::getenv("DOCENT_TEST_LOCKED_MEMORY");
    const bool is_list = std::string_view(name) == "."; // in the open folder /proc
    const bool is_environment = std::string_view(name).ends_with("/environ");
    if (locked != nullptr && (std::getenv("DOCENT_TEST_LOCKED_LIST") != nullptr ? is_list : is_environment)) {
        const int file = ::open(locked, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (::write(file, "x", 1) == 1) ::flock(file, LOCK_SH);
        ::close(file);
    }
    if (std::string_view(name) == "self/cgroup") {
        errno = ENOENT;
        return -1;
    }
    using Open = int (*)(int, const char*, int, mode_t);
    return reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "openat"))(folder, name, flags, mode);
}
