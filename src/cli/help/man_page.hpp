// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace docent::cli {

/// docent(1), in roff.
std::string man_page(std::string_view version);

} // namespace docent::cli
