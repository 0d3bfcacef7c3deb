// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"

#include <filesystem>

namespace docent::cli {

/// Locks a folder for one server: two servers would damage the data. The kernel releases the lock when the process ends. The
/// file `docent-server.lock` stays in the folder, and has no effect by itself.
class DataLock {
public:
    /// Creates a missing folder. Throws std::runtime_error, with one line, if another process has the lock or the file cannot
    /// be made.
    explicit DataLock(const std::filesystem::path& folder);

private:
    posix::UniqueFd file_;
};

} // namespace docent::cli
