// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

namespace docent::cli {

/// `docent inspect --watch`: shows the participants at a path now and after each change, until a signal. Watches report
/// changes. It looks at most once a second. Returns the exit code.
int follow(const InspectCommand& command);

} // namespace docent::cli
