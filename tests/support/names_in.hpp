// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>

namespace docent::test {

/// The names in a folder, such as `/proc/self/fd`. ThreadSanitizer does not notice that opendir() and std::filesystem open a
/// descriptor, and takes the descriptor for an earlier one with the same number. It notices open().
inline std::vector<std::string> names_in(const char* folder) {
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
                                                     &::closedir);
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(stream.get())) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") names.push_back(name);
    }
    return names;
}

} // namespace docent::test
