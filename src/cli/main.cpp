// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/argument_reader.hpp"
#include "cli/arguments/parse.hpp"
#include "cli/messages.hpp"
#include "cli/run.hpp"
#include "posix/descriptors.hpp"

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <unistd.h>

namespace docent::cli {
namespace {

Environment read_environment() {
    Environment result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const auto equals = text.find('=');
        if (equals != std::string_view::npos) result.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return result;
}

template <typename Any> std::vector<std::string> warnings_of(const Any& command) {
    if constexpr (requires { command.connection; }) return command.connection.warnings;
    else if constexpr (requires { command.hold; }) return command.hold.connection.warnings;
    else return {};
}

int run_program(const std::vector<std::string>& words) {
    try {
        return std::visit(
            [](const auto& command) {
                for (const auto& warning : warnings_of(command)) print_error(warning);
                return run(command);
            },
            parse(words, read_environment()));
    } catch (const UsageError& e) {
        print_error(e.what());
        return exit_code::usage;
    } catch (const std::bad_alloc&) {
        print_error("out of memory");
        return exit_code::failure;
    } catch (const std::exception& e) {
        print_error(e.what());
        return exit_code::failure;
    }
}

} // namespace
} // namespace docent::cli

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    docent::cli::hide_credentials(argc, argv);
    docent::posix::occupy_standard_streams();
    docent::cli::end_when_out_of_memory();
    return docent::cli::run_program(words);
}
