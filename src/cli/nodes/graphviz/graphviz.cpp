// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/graphviz/graphviz.hpp"

#include "posix/spawn.hpp"
#include "posix/unique_fd.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::cli {
namespace {

/// A file in memory. With a pipe, docent and `dot` could each wait for the other to read.
posix::UniqueFd memory_file(const char* name) {
    posix::UniqueFd file(::memfd_create(name, MFD_CLOEXEC));
    if (file.get() < 0) throw NotDrawn(std::string("cannot draw: ") + std::strerror(errno));
    return file;
}

void write_all(int fd, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t written = ::write(fd, text.data() + done, text.size() - done);
        if (written < 0 && errno != EINTR) throw NotDrawn(std::string("cannot draw: ") + std::strerror(errno));
        if (written > 0) done += static_cast<std::size_t>(written);
    }
    ::lseek(fd, 0, SEEK_SET);
}

std::string read_all(int fd) {
    ::lseek(fd, 0, SEEK_SET);
    std::string text;
    std::array<char, 65536> part{};
    for (ssize_t length = 0; (length = ::read(fd, part.data(), part.size())) != 0;) {
        if (length < 0 && errno != EINTR) throw NotDrawn(std::string("cannot read the drawing: ") + std::strerror(errno));
        if (length > 0) text.append(part.data(), static_cast<std::size_t>(length));
    }
    return text;
}

int exit_status(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return status;
}

} // namespace

std::string drawn_by_graphviz(const std::string& graph) try {
    const posix::UniqueFd input = memory_file("graph");
    const posix::UniqueFd output = memory_file("drawing");
    write_all(input.get(), graph);
    const posix::ProgramImage dot({"dot", "-Tsvg"});
    const auto spawned = posix::spawn_detached(dot, {.input = input.get(), .output = output.get(), .errors = STDERR_FILENO});
    const int status = exit_status(spawned.pid);
    if (spawned.error == ENOENT) throw NotDrawn("--svg needs Graphviz, and there is no dot (Debian: apt-get install graphviz)");
    if (spawned.error != 0) throw NotDrawn(std::string("cannot run dot: ") + std::strerror(spawned.error));
    if (status != 0) throw NotDrawn("dot has failed");
    return read_all(output.get());
} catch (const std::system_error& failure) {
    throw NotDrawn(std::string("cannot run dot: ") + failure.what());
}

} // namespace docent::cli
