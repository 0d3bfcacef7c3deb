// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/exit_code.hpp"
#include "cli/help/completion.hpp"
#include "cli/help/help.hpp"
#include "cli/help/man_page.hpp"
#include "cli/messages.hpp"

namespace docent::cli {

int run(const HelpCommand& command) {
    print(help_text(command.topic));
    return exit_code::success;
}

int run(const ManPageCommand&) {
    print(man_page(DOCENT_VERSION));
    return exit_code::success;
}

int run(const CompletionCommand& command) {
    print(command.shell == Shell::bash ? bash_completion() : zsh_completion());
    return exit_code::success;
}

int run(const VersionCommand&) {
    print("docent " DOCENT_VERSION "\n");
    return exit_code::success;
}

} // namespace docent::cli
