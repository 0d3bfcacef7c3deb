// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace docent::cli {

/// The command line is wrong. The text says why in one line. Nothing was sent.
class UsageError : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

} // namespace docent::cli
