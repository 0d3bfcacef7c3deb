// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace docent::cli {

/// What a CMD finds in its environment: the owner of the locks that it runs under. A docent that CMD runs waits below it.
inline constexpr const char* owner_variable = "DOCENT_OWNER";

/// `inherited/own`, or `own` alone without one. Nothing if it would be too long, or what was inherited cannot be an owner: the
/// session has to tell then.
std::optional<std::string> owner_below(std::string_view inherited, std::string_view own);

/// Whether a docent that holds locks has started us.
bool is_below_a_holder();

/// What the last part of an owner tells of its holder, in marks behind the number: `0f3a5c7e9b1d:n3:r`. Programs that do not
/// know the marks take them for a part of the number.
struct OwnerMarks {
    std::optional<std::int32_t> permits = {}; // that the holder of a permit believes the semaphore to have
    bool revocable = false;                   // it listens to requests to release the lock
    friend bool operator==(const OwnerMarks&, const OwnerMarks&) = default;
};
std::string with_marks(std::string number, const OwnerMarks& marks);
OwnerMarks marks_of(std::string_view owner);

/// Of this process, by its environment: the same number always.
std::optional<std::string> own_owner(const OwnerMarks& marks = {});

} // namespace docent::cli
