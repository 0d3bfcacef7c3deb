// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace docent::testing {

/// The line of a server's log that says why the server has ended: the last line that is neither part of a stack trace nor a
/// remark about the end itself. An error of the main thread comes first: other threads fail after it. If the Java runtime has
/// failed, its own reason. Empty if there is no such line.
std::string reason_in(std::string_view log);

} // namespace docent::testing
