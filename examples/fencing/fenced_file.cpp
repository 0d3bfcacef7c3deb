// SPDX-License-Identifier: Apache-2.0
// A file that refuses late writes: docs/how-to/fence-a-write.md.
#include "stale_holder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

/// Calls that fail throw.
int checked(int result, const char* what) {
    if (result < 0)
        throw std::system_error(errno, std::generic_category(), what);
    return result;
}

class FileLock { // for the writers on this machine; the file is never removed
public:
    explicit FileLock(const std::string& path)
        : fd_(checked(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644),
                      "open")) {
        checked(::flock(fd_, LOCK_EX), "flock");
    }
    ~FileLock() { ::close(fd_); }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    int fd_;
};

// [file]
/// Replaces the file, with token and text, as a whole. Returns false if the
/// file has a larger token.
bool write_fenced(const std::string& path, std::int64_t token,
                  const std::string& text) {
    const FileLock lock(path + ".lock");
    std::int64_t largest = 0;
    std::ifstream(path) >> largest; // 0 if there is no file
    if (token < largest) return false;
    const std::string next = path + ".next";
    std::ofstream out(next);
    out << token << '\n' << text << std::flush;
    if (!out) throw std::runtime_error("cannot write " + next);
    const int fd = checked(::open(next.c_str(), O_RDONLY | O_CLOEXEC), "open");
    checked(::fsync(fd), "fsync"); // or a power cut may leave an empty file
    ::close(fd);
    std::filesystem::rename(next, path);
    return true;
}
// [file]

int main() {
    std::string folder =
        (std::filesystem::temp_directory_path() / "fenced-XXXXXX").string();
    if (!::mkdtemp(folder.data())) return 1;
    const std::string path = folder + "/report";
    StaleHolder holders;
    const bool second =
        write_fenced(path, holders.second.fencing_token(), "of the second");
    const bool first =
        write_fenced(path, holders.first.fencing_token(), "of the first");
    std::ifstream in(path);
    std::int64_t token = 0;
    in >> token >> std::ws;
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::filesystem::remove_all(folder);
    return verdict(second, first, text);
}
