// SPDX-License-Identifier: Apache-2.0

#include "cli/arguments/command_table.hpp"
#include "cli/arguments/parse.hpp"
#include "cli/arguments/values.hpp"

#include <algorithm>

namespace docent::cli {

const std::vector<CommandEntry>& command_table() {
    static const std::vector<CommandEntry> table = [] {
        std::vector<CommandEntry> all;
        for (const auto& part : {hold_entries(), view_entries(), node_entries(), local_entries()})
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }();
    return table;
}

const CommandEntry& find_command(const std::string& name) {
    const auto& table = command_table();
    const auto found = std::find_if(table.begin(), table.end(), [&](const CommandEntry& e) { return e.name == name; });
    if (found != table.end()) return *found;
    std::vector<std::string_view> names;
    names.reserve(table.size());
    for (const CommandEntry& entry : table) names.push_back(entry.name);
    throw UsageError("unknown command '" + name + "'" + did_you_mean(name, names) + " (see: docent --help)");
}

const std::vector<OptionEntry>& connection_options() {
    static const std::vector<OptionEntry> options = {
        {.name = "--connect",
         .value = "H:P,H:P...[/CHROOT]",
         .help = "the servers (default: 127.0.0.1:2181); tls:// in front means --tls",
         .environment = "DOCENT_CONNECT"},
        {.name = "--session-timeout",
         .value = "TIME",
         .help = "how soon ZooKeeper frees the locks of a client that died (default: 10s)",
         .environment = "DOCENT_SESSION_TIMEOUT"},
        {.name = "--relaxed-heartbeats",
         .help = "a third of the heartbeats, for fleets of thousands of clients; a lock then survives shorter outages",
         .environment = "DOCENT_RELAXED_HEARTBEATS"},
        {.name = "--namespace",
         .value = "NS",
         .help = "prefix of all paths: with app, /a is ZooKeeper's /app/a",
         .environment = "DOCENT_NAMESPACE"},
        {.name = "--auth",
         .value = "SCHEME:CREDENTIALS",
         .help =
             "for example digest:user:password; may be given more than once. The shell's history keeps a typed password, and "
             "for a moment the list of processes shows it: prefer a variable or a file",
         .environment = "DOCENT_AUTH"},
        {.name = "--auth-file",
         .value = "FILE",
         .help = "credentials from FILE, one SCHEME:CREDENTIALS a line; nobody else should be able to read it",
         .environment = "DOCENT_AUTH_FILE",
         .completion = Completion::file},
        {.name = "--tls",
         .help = "speak TLS with the servers, and trust the system's authorities",
         .environment = "DOCENT_TLS"},
        {.name = "--tls-ca",
         .value = "FILE",
         .help = "speak TLS, and trust the authorities in FILE (PEM)",
         .environment = "DOCENT_TLS_CA",
         .completion = Completion::file},
        {.name = "--tls-cert",
         .value = "FILE",
         .help = "speak TLS, and show the certificate in FILE (PEM)",
         .environment = "DOCENT_TLS_CERT",
         .completion = Completion::file},
        {.name = "--tls-key",
         .value = "FILE",
         .help = "the key of that certificate, without a passphrase (PEM; default: in the file of --tls-cert)",
         .environment = "DOCENT_TLS_KEY",
         .completion = Completion::file},
        config_option,
    };
    return options;
}

const OptionEntry* find_option(const std::vector<OptionEntry>& options, std::string_view name) {
    const auto found = std::find_if(options.begin(), options.end(), [&](const OptionEntry& o) { return o.name == name; });
    return found == options.end() ? nullptr : &*found;
}

std::vector<OptionEntry> options_of(const CommandEntry& entry) {
    std::vector<OptionEntry> options = entry.options;
    if (entry.json) options.push_back(json_option);
    if (entry.connects) {
        options.insert(options.end(), connection_options().begin(), connection_options().end());
    }
    options.push_back(help_option);
    return options;
}

std::vector<OptionEntry> leading_options() {
    std::vector<OptionEntry> options = connection_options();
    options.insert(options.end(), {json_option, help_option, version_option});
    return options;
}

} // namespace docent::cli
