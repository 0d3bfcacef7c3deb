// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>
#include <docent/export.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace docent {

/// Whether `path` is a valid znode path, by the rules of ZooKeeper's PathUtils: it begins with `/`, does not end with one (but
/// for the root), has no empty, `.` or `..` element and no control character, and is valid UTF-8. Returns
/// `error::invalid_path` or no error.
DOCENT_EXPORT error_code check_path(std::string_view path) noexcept;

/// What is wrong with `path`, in words; empty if nothing is.
DOCENT_EXPORT std::string explain_path(std::string_view path);

/// `child` below `parent`: `/a` and `b` make `/a/b`; the root and `b` make `/b`.
DOCENT_EXPORT std::string join_path(std::string_view parent, std::string_view child);

/// Everything before the last element: `/a/b` has `/a`, `/a` has `/`; the root's parent is the root.
DOCENT_EXPORT std::string_view parent_path(std::string_view path) noexcept;

/// The last element: `/a/b` has `b`; the root has none.
DOCENT_EXPORT std::string_view node_name(std::string_view path) noexcept;

/// All proper ancestors but the root, from the top: `/a/b/c` has `/a` and `/a/b`.
DOCENT_EXPORT std::vector<std::string> ancestor_paths(std::string_view path);

} // namespace docent
