// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace docent::cli {

/// The text for a command's name, for `options_topic`, or for the program if `topic` is empty.
std::string help_text(std::string_view topic);

} // namespace docent::cli
