// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/command_table.hpp"

namespace docent::cli {
namespace {

Command build_server(const ArgumentReader& given) {
    ServerCommand result;
    result.port = given.number<std::uint16_t>("--port").value_or(result.port);
    result.data_dir = given.value("--data").value_or("");
    result.tls = given.has("--tls");
    if (given.has("--memory")) result.kind = ServerKind::in_memory;
    if (given.has("--data") && result.data_dir.empty()) given.fail("--data needs the name of a folder");
    if (given.has("--data") && given.has("--memory")) {
        given.fail("--memory keeps no data; leave out --data, or leave out --memory for a real ZooKeeper");
    }
    return result;
}

Command build_completion(const ArgumentReader& given) {
    const std::string shell = given.positional(0).value();
    if (shell == "bash") return HelpCommand{.text = HelpCommand::Text::bash_completion};
    if (shell == "zsh") return HelpCommand{.text = HelpCommand::Text::zsh_completion};
    given.fail("'" + shell + "' is not bash or zsh");
}

Command build_help(const ArgumentReader& given) {
    const auto topic = given.positional(0);
    if (given.has("--man")) {
        if (topic) given.fail("the man page is about all commands");
        return HelpCommand{.text = HelpCommand::Text::man_page};
    }
    if (!topic || *topic == options_topic) return HelpCommand{topic.value_or("")};
    return HelpCommand{std::string(find_command(*topic).name)};
}

} // namespace

std::vector<CommandEntry> local_entries() {
    return {
        {.name = "server",
         .summary = "a ZooKeeper for development, in the foreground",
         .description =
             R"(Runs a real ZooKeeper for development on 127.0.0.1, in the foreground, until SIGINT, SIGTERM or SIGHUP. Needs a Java
runtime and ZooKeeper's jar (Debian's libzookeeper-java, or $ZOOKEEPER_HOME). With --memory, docent itself is the server: it needs no
Java, and is for tests and for a first look. A tick lasts 0.5 s, and session timeouts may be 1 s to 60 s.

A real server is a Java process that docent has started. To see what clients do when a server is silent, stop that process, or
docent with --memory, with SIGSTOP.)",
         .build = build_server,
         .options =
             {{.name = "--port", .value = "P", .help = "the port (default: 2181); 0 takes a free port"},
              {.name = "--data",
               .value = "DIR",
               .help = "keep the data in DIR, for one docent server at a time; without it, the data is gone afterwards",
               .completion = Completion::folder},
              {.name = "--memory", .help = "a server in the memory of docent, without Java; its data is gone afterwards"},
              {.name = "--tls",
               .help =
                   "also listen with TLS, on a free port, with certificates for this machine; prints the options of clients"}}},
        {.name = "demo",
         .summary = "four clients take turns, on a server for the demo",
         .description =
             R"(Starts docent's own server in memory on a free port, and lets four clients take five turns each under one lock. Then it cuts a
holder off from the server, and shows the effects. It checks its results, and leaves nothing running. It takes less than ten seconds.)",
         .build = [](const ArgumentReader& given) -> Command {
             return DemoCommand{given.has("--real") ? ServerKind::real : ServerKind::in_memory};
         },
         .options = {{.name = "--real", .help = "on a real ZooKeeper; needs what docent server needs"}}},
        {.name = "completion",
         .summary = "the script that completes words in bash or zsh",
         .description =
             R"(Prints a script that completes docent's commands, their options, and paths of nodes in SHELL: bash or zsh. For
a word that begins with /, the script runs docent ls with the connection options of the line, for 2 s at most.)",
         .build = build_completion,
         .arguments = {{"SHELL", Presence::required, Completion::shell}},
         .example = "source <(docent completion bash)"},
        {.name = "help",
         .summary = "this text, or the help of COMMAND, or of the options",
         .description = "Shows the help of docent or of COMMAND. docent help options describes the common options, values, "
                        "config files and "
                        "exit statuses.",
         .build = build_help,
         .arguments = {{"COMMAND", Presence::optional, Completion::command}},
         .options = {{.name = "--man", .help = "print all help as a man page, for man -l or groff -man"}},
         .example = "docent help --man | man -l -"},
    };
}

} // namespace docent::cli
