// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

namespace docent::detail {

/// The time at which each test of a machine begins.
inline constexpr steady_clock::time_point t0{};

} // namespace docent::detail
