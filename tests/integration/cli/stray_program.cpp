// SPDX-License-Identifier: Apache-2.0
// A program of the worst kind: it writes over its environment, as setproctitle() does, leaves its parent and its session,
// ignores SIGTERM, and goes on for ever. Its first argument is a file, where it writes its process id.
#include <cstdio>
#include <cstring>

#include <signal.h>
#include <unistd.h>

int main(int, char** arguments) {
    for (char** entry = environ; *entry != nullptr; ++entry) std::memset(*entry, 'x', std::strlen(*entry));
    if (::fork() != 0) ::_exit(0);
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    ::signal(SIGTERM, SIG_IGN);
    std::FILE* const file = std::fopen(arguments[1], "w");
    if (file == nullptr) return 1;
    std::fprintf(file, "%d\n", static_cast<int>(::getpid()));
    std::fclose(file);
    for (;;) ::pause();
}
