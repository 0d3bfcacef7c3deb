// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/exit_code.hpp"
#include "cli/arguments/help.hpp"
#include "cli/messages.hpp"

namespace docent::cli {

int run(const HelpCommand& command) {
    print(help_text(command.topic));
    return exit_code::success;
}

int run(const VersionCommand&) {
    print("docent " DOCENT_VERSION "\n");
    return exit_code::success;
}

} // namespace docent::cli
