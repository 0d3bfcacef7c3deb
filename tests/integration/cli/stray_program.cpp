// SPDX-License-Identifier: Apache-2.0
// A program that is hard to find and to end: it overwrites its environment, as setproctitle() does, leaves its parent and its
// session, ignores SIGTERM, and runs for ever. It writes its process id into the file of its first argument. With another
// argument, its first thread ends and a second thread runs on.
#include <cstdio>
#include <cstring>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

namespace {

void* go_on(void* file_name) {
    std::FILE* const file = std::fopen(static_cast<const char*>(file_name), "w");
    if (file == nullptr) ::_exit(1);
    std::fprintf(file, "%d\n", static_cast<int>(::getpid()));
    std::fclose(file);
    for (;;) ::pause();
}

} // namespace

int main(int count, char** arguments) {
    for (char** entry = environ; *entry != nullptr; ++entry) std::memset(*entry, 'x', std::strlen(*entry));
    if (::fork() != 0) ::_exit(0);
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    ::signal(SIGTERM, SIG_IGN);
    if (count == 2) go_on(arguments[1]);
    pthread_t other;
    if (::pthread_create(&other, nullptr, &go_on, arguments[1]) != 0) return 1;
    ::pthread_exit(nullptr);
}
