// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace docent::cli {

/// The data of the request's nodes: its label, or `USER@HOST:PID CMD`. Of CMD, only the name: its arguments may be secret, and
/// every user of the lock can read its nodes.
std::string label_of(const HoldRequest& request);

std::string machine_name();

/// The variable with the owner of the locks that CMD runs under. A docent that CMD runs adds its own part to this owner.
inline constexpr const char* owner_variable = "DOCENT_OWNER";

/// `inherited/own`, or `own` if nothing is inherited. Returns nothing if the result is too long, or if `inherited` is not a
/// valid owner. Then only the session identifies the holder.
std::optional<std::string> owner_below(std::string_view inherited, std::string_view own);

/// Whether this process runs below a docent that holds locks.
bool is_below_a_holder();

/// The marks after the number in the last part of an owner: `0f3a5c7e9b1d:n3:r`. Programs that do not know the marks take them
/// for a part of the number.
struct OwnerMarks {
    std::optional<std::int32_t> permits = {}; // the semaphore's number of permits, as given to the holder
    bool revocable = false;                   // the holder listens to requests to release the lock
    friend bool operator==(const OwnerMarks&, const OwnerMarks&) = default;
};
std::string with_marks(std::string number, const OwnerMarks& marks);
OwnerMarks marks_of(std::string_view owner);

/// The data of a node with a request: the request, then `data`, so that label and owner survive. A node without data gets the
/// request only, as Curator's holders expect: a Curator that listens makes its node without data.
std::string with_request(const std::string& data);

/// Whether the data shows that the holder listens. A docent with --revocable has a mark in its owner; a Curator that listens
/// has no data. Also true if the data is only an earlier request.
bool is_known_to_listen(const std::string& data);

/// The owner of this process: a random number with `marks`, below the owner in the environment, if any. All calls in a process
/// use the same number.
std::optional<std::string> own_owner(const OwnerMarks& marks = {});

/// `semaphore /s: --permits is 3 here, but 2 for ann; ...`, if the data of a permit's node names another number than `permits`;
/// else empty.
std::string other_limit_text(const std::string& path, std::int32_t permits, const std::string& data);

} // namespace docent::cli
