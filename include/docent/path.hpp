// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>
#include <docent/export.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent {

/// Checks whether `path` is a valid node path, by the rules of ZooKeeper's `PathUtils`.
///
/// A valid path begins with a slash and, except for the root, does not end with a slash. No element is empty, one dot or two
/// dots. The text is valid UTF-8. It has no control characters, no private-use characters (U+E000 to U+F8FF) and no characters
/// from U+FFF0 on. Returns `error::invalid_path` or no error.
/// @ingroup client
DOCENT_EXPORT error_code check_path(std::string_view path) noexcept;

/// Returns a sentence that names the fault of `path`; empty if the path is valid.
/// @ingroup client
DOCENT_EXPORT std::string explain_path(std::string_view path);

/// Returns the path of the node `child` below `parent`: `/a` and `b` give `/a/b`, the root and `b` give `/b`.
///
/// Slashes at the end of `parent` and at the front of `child` do not count: `/a/` and `/b` give `/a/b`.
/// @ingroup client
DOCENT_EXPORT std::string join_path(std::string_view parent, std::string_view child);

/// Returns the path of the parent: `/a` for `/a/b`, the root for `/a` and for the root.
/// @ingroup client
DOCENT_EXPORT std::string_view parent_path(std::string_view path) noexcept;

/// Returns the last element of the path: `b` for `/a/b`, an empty text for the root.
/// @ingroup client
DOCENT_EXPORT std::string_view node_name(std::string_view path) noexcept;

/// The parts of the name of a node that was made with `Protection::protected_`.
/// ```cpp
/// docent::CreateOptions options{.protection = docent::Protection::protected_};
/// docent::Created made = client.create("/jobs/a", "", options); // "/jobs/_c_1b4e28ba-2fa1-11d2-883f-0016d3cca427-a"
/// std::optional<docent::ProtectedName> parts = docent::protected_name(made.path);
/// bool same = parts && parts->name == "a";
/// ```
/// @ingroup client
struct ProtectedName {
    std::string guid; ///< The GUID of the create: 36 characters.
    std::string name; ///< The name that the caller gave, with the server's digits for a sequential node.
    /// Compares all fields.
    friend bool operator==(const ProtectedName&, const ProtectedName&) = default;
};

/// Returns the parts of the last element of `path`, a path or a name; nothing if it has no protection prefix `_c_<GUID>-`.
///
/// docent and Curator write the same prefix.
/// @ingroup client
DOCENT_EXPORT std::optional<ProtectedName> protected_name(std::string_view path);

/// Returns the paths of all ancestors except the root, from the top: `/a` and `/a/b` for `/a/b/c`.
/// @ingroup client
DOCENT_EXPORT std::vector<std::string> ancestor_paths(std::string_view path);

} // namespace docent
