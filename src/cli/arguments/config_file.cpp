// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/config_file.hpp"

#include "cli/arguments/command_line.hpp"
#include "cli/arguments/command_table.hpp"
#include "cli/arguments/parse.hpp"
#include "posix/descriptors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace docent::cli {
namespace {

std::string read_text(const std::string& name) {
    auto text = posix::read_file(name);
    if (!text) throw UsageError(std::string("cannot be read: ") + std::strerror(errno));
    return *std::move(text);
}

/// The options that may stand in a section; outside of sections, the options that commands share.
std::vector<OptionEntry> options_in(const std::string& section) {
    std::vector<OptionEntry> options = leading_options();
    if (!section.empty()) {
        const auto& table = command_table();
        const auto found = std::find_if(table.begin(), table.end(), [&](const CommandEntry& e) { return e.name == section; });
        if (found == table.end() || found->connects == Connects::no) {
            throw UsageError("[" + section + "] is not a command that talks to ZooKeeper");
        }
        options = options_of(*found);
    }
    std::erase_if(options, [](const OptionEntry& o) {
        return o.name == help_option().name || o.name == config_option().name ||
               (o.name == version_option().name && o.is_flag());
    });
    return options;
}

/// `[lock], [elect]`: the commands that have this option.
std::string commands_with(const std::string& name) {
    std::string text;
    for (const CommandEntry& entry : command_table()) {
        const auto has_it = std::any_of(entry.options.begin(), entry.options.end(),
                                        [&](const OptionEntry& o) { return o.name.substr(2) == name; });
        if (has_it && entry.connects == Connects::yes) text += (text.empty() ? "[" : ", [") + std::string(entry.name) + "]";
    }
    return text;
}

std::string names_of(const std::vector<OptionEntry>& options) {
    std::string text;
    for (const OptionEntry& option : options) text += (text.empty() ? "" : ", ") + std::string(option.name.substr(2));
    return text;
}

const OptionEntry& find_option(const std::vector<OptionEntry>& options, const ConfigLine& line) {
    const auto found =
        std::find_if(options.begin(), options.end(), [&](const OptionEntry& o) { return o.name.substr(2) == line.name; });
    if (found == options.end()) {
        const std::string where = line.section.empty() ? "" : " in [" + line.section + "]";
        if (const auto commands = commands_with(line.name); where.empty() && !commands.empty())
            throw UsageError("the option " + line.name + " stands below a command that takes it: " + commands);
        throw UsageError("there is no option " + line.name + where + ", but " + names_of(options));
    }
    return *found;
}

/// The values of a line; nothing if it says that a flag is not set.
std::optional<OptionValues> values_of(const OptionEntry& option, const ConfigLine& line, const std::string& file) {
    OptionValues result{{line.value}, line.name + " in " + file, file};
    if (!option.is_flag()) return result;
    if (result.values.back() == "false") return std::nullopt;
    if (result.values.back() != "true") throw UsageError(line.name + " is true or false");
    return result;
}

Options read_options(const std::string& file, const CommandEntry& entry) {
    const auto taken = options_of(entry);
    const auto is_taken = [&](const OptionEntry& option) {
        return std::any_of(taken.begin(), taken.end(), [&](const OptionEntry& o) { return o.name == option.name; });
    };
    Options shared;
    Options own;
    for (const ConfigLine& line : scan_config(read_text(file))) {
        const auto options = options_in(line.section);
        const OptionEntry& option = find_option(options, line);
        auto values = values_of(option, line, file);
        if (!is_taken(option) || (!line.section.empty() && line.section != entry.name)) continue;
        auto& into = line.section.empty() ? shared : own;
        const std::string name(option.name);
        if (!values) {
            into.erase(name);
            if (!line.section.empty()) shared.erase(name);
        } else if (const auto [at, is_new] = into.try_emplace(name, *values); !is_new) {
            at->second.values.insert(at->second.values.end(), values->values.begin(), values->values.end());
        }
    }
    own.merge(shared);
    return own;
}

} // namespace

Options read_config_file(const std::string& name, const CommandEntry& entry) {
    try {
        return read_options(name, entry);
    } catch (const UsageError& e) {
        throw UsageError("config file " + name + ": " + e.what());
    }
}

} // namespace docent::cli
