// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace docent::detail {

/// This machine's first address that is not a loopback address. Curator writes it into lock nodes.
std::string local_address();

} // namespace docent::detail
