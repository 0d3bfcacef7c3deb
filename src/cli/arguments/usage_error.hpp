// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace docent::cli {

/// What was typed cannot be done; the text says in one line why. Nothing was sent.
class UsageError : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

} // namespace docent::cli
