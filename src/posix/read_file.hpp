// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace docent::posix {

/// All of a file. Nothing, with errno, if it cannot be opened or read to its end: a file of /proc, say, whose process has ended
/// meanwhile, or a folder. (A std::filebuf throws then.)
std::optional<std::string> read_file(const std::string& name);

/// The same, of a name in an open folder.
std::optional<std::string> read_file_at(int folder, const std::string& name);

} // namespace docent::posix
