// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/client.hpp>

#include <cstdint>
#include <string>

namespace docent::cli {

/// `semaphore /s: --permits is 3 here, but 2 for ann; ...`, if the data of a permit's node names another number than `permits`;
/// else empty.
std::string other_limit_text(const std::string& path, std::int32_t permits, const std::string& data);

/// Reads some of the held permits in the background. Reports the first holder that was given another number of permits. Such a
/// semaphore has no common limit.
void report_other_limit(Client& client, const std::string& path, std::int32_t permits);

} // namespace docent::cli
