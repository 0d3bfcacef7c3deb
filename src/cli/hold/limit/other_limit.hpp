// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/client.hpp>

#include <cstdint>
#include <string>

namespace docent::cli {

/// `semaphore /s: --permits is 3 here, but 2 for ann; ...`, if the data of a permit's node tells of another number than
/// `permits`; else empty.
std::string other_limit_text(const std::string& path, std::int32_t permits, const std::string& data);

/// Looks at some of the permits that are held, in the background, and reports the first holder on standard error that was
/// given another number of permits. Such a semaphore has no limit: each of its users has one of its own.
void report_other_limit(Client& client, const std::string& path, std::int32_t permits);

} // namespace docent::cli
