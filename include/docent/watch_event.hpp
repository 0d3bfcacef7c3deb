// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <string>
#include <string_view>

namespace docent {

/// The kind of change that a watch reports.
/// @ingroup client
enum class WatchEventType {
    created,          ///< The node was created.
    deleted,          ///< The node was deleted.
    data_changed,     ///< The node's data changed.
    children_changed, ///< A child was created or deleted.
    session_lost,     ///< The session ended before a change was reported. Read again and set a new watch.
};

/// Returns the name of the kind, for example `data_changed`.
/// @ingroup client
DOCENT_EXPORT std::string_view to_string(WatchEventType type) noexcept;

/// The event that a Watch reports.
/// ```cpp
/// auto seen = client.exists_watched("/config");
/// docent::WatchEvent event = seen.watch.wait();
/// bool gone = event.type == docent::WatchEventType::deleted;
/// ```
/// @ingroup client
struct WatchEvent {
    WatchEventType type = WatchEventType::session_lost; ///< The kind of change.
    std::string path;                                   ///< The path as the caller of the read gave it.

    /// Compares all fields.
    friend bool operator==(const WatchEvent&, const WatchEvent&) = default;
};

} // namespace docent
