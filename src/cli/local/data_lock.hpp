// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"

#include <filesystem>

namespace docent::cli {

/// That a folder is one server's: two that write to the same data spoil it. The kernel ends it with the process, however that
/// ends; the file, `docent-server.lock` in the folder, stays and means nothing by itself.
class DataLock {
public:
    /// Makes the folder if it is missing. Throws std::runtime_error with one line if another process has it, or the file cannot
    /// be made.
    explicit DataLock(const std::filesystem::path& folder);

private:
    posix::UniqueFd file_;
};

} // namespace docent::cli
