// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace docent::posix {

/// Reads a whole file. Returns nothing, and leaves errno, if it cannot be opened or read to its end: for example a folder, or a
/// file of /proc whose process has ended. (std::filebuf throws then.)
std::optional<std::string> read_file(const std::string& name);

/// The same for a name in an open folder.
std::optional<std::string> read_file_at(int folder, const std::string& name);

} // namespace docent::posix
