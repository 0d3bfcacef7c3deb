// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/entries.hpp"

namespace docent::cli {
namespace {

constexpr auto looking = "look at nodes";
constexpr auto changing = "change nodes";

Command build_set(const ArgumentReader& given) {
    return SetCommand{.connection = given.connection(),
                      .format = given.format(),
                      .path = given.path(),
                      .data = given.data(),
                      .version = given.number<std::int32_t>("--version").value_or(any_version)};
}

CreateMode create_mode(const ArgumentReader& given) {
    if (given.has("--sequential") && given.has("--container")) given.fail("ZooKeeper has no sequential containers");
    if (given.has("--container")) return CreateMode::container;
    return given.has("--sequential") ? CreateMode::persistent_sequential : CreateMode::persistent;
}

Command build_create(const ArgumentReader& given) {
    return CreateCommand{.connection = given.connection(),
                         .format = given.format(),
                         .path = given.path(),
                         .data = given.data(),
                         .mode = create_mode(given),
                         .parents = given.has("--parents") ? Parents::persistent : Parents::fail};
}

Command build_delete(const ArgumentReader& given) {
    return DeleteCommand{.connection = given.connection(),
                         .path = given.path(),
                         .version = given.number<std::int32_t>("--version").value_or(any_version)};
}

Command build_tx(const ArgumentReader& given) {
    const std::string name = given.value("--file").value_or("-");
    return TxCommand{.connection = given.connection(),
                     .format = given.format(),
                     .file = name == "-" ? DataSource(StandardInput{}) : DataSource(InputFile{name})};
}

std::vector<CommandEntry> reading_entries() {
    return {
        printing({.name = "ls",
                  .summary = "names of the children",
                  .group = looking,
                  .description = "Prints the names of PATH's children, one a line, sorted. With --json: an array of strings.",
                  .build = build_reading<LsCommand>,
                  .arguments = {{"PATH"}}}),
        printing(
            {.name = "get",
             .summary = "a node's data",
             .group = looking,
             .description =
                 R"(Prints PATH's data as it is; on a terminal a newline follows. With --json: an object with path, data and
stat; data that is no UTF-8 text is given as dataBase64 instead.)",
             .build = build_reading<GetCommand>,
             .arguments = {{"PATH"}}}),
    };
}

std::vector<CommandEntry> writing_entries() {
    return {
        printing({.name = "set",
                  .summary = "replace a node's data",
                  .group = changing,
                  .description =
                      R"(Replaces PATH's data; - reads it from standard input. DATA that begins with a dash goes behind --. With
--json: the node's new metadata.)",
                  .build = build_set,
                  .arguments = {{"PATH"}, {"DATA"}},
                  .options = {{.name = "--version", .value = "N", .help = "only if the node still has that version"}}}),
        printing(
            {.name = "create",
             .summary = "make a node",
             .group = changing,
             .description =
                 R"(Makes a persistent node and prints its path; DATA of - reads standard input. With --json: an object with
path and stat.)",
             .build = build_create,
             .arguments = {{"PATH"}, {"DATA", Presence::optional}},
             .options =
                 {{.name = "--sequential", .help = "the server appends ten digits that grow", .alternative = "--container"},
                  {.name = "--container", .help = "the server removes the node some time after its last child went"},
                  {.name = "--parents", .help = "make missing parents as persistent nodes"}}}),
        {.name = "delete",
         .summary = "remove a node",
         .group = changing,
         .description = "Removes a node without children.",
         .build = build_delete,
         .connects = Connects::yes,
         .arguments = {{"PATH"}},
         .options = {{.name = "--version", .value = "N", .help = "only if the node still has that version"}}},
        printing({.name = "stat",
                  .summary = "a node's metadata",
                  .group = looking,
                  .description = "Prints PATH's metadata, one field a line, under the names that ZooKeeper gives them.",
                  .build = build_reading<StatCommand>,
                  .arguments = {{"PATH"}}}),
        printing(
            {.name = "exists",
             .summary = "exit 0 if there is such a node, 1 if not",
             .group = looking,
             .description =
                 R"(Exits 0 if there is such a node, 1 if there is none. With --json: an object with exists and, if so, stat.)",
             .build = build_reading<ExistsCommand>,
             .arguments = {{"PATH"}}}),
        printing({.name = "tx",
                  .summary = "apply several changes together, or none",
                  .description = R"(Applies all changes in FILE together, or none. One operation a line:

  create PATH [DATA]
  set PATH DATA [VERSION]       only if the node still has that version
  delete PATH [VERSION]
  check PATH [VERSION]          changes nothing, but must hold

Words are separated by blanks; in double quotes they may contain some, and \" \\ \n \t. Lines that begin with # are
comments. With --json: an array of results as Curator has them, also when the server refused (exit status 1). What docent lock runs
can write so that it counts only while the lock's node is there:

  printf 'check %s\nset /config x\n' "$DOCENT_LOCK_NODE" | docent tx)",
                  .build = build_tx,
                  .options = {{.name = "--file",
                               .value = "FILE",
                               .help = "where the changes are; without it, or with -, they are read from standard input",
                               .short_name = "-f",
                               .completion = Completion::file}},
                  .example = R"(printf 'check /config 4\nset /config "new text"\ncreate /log/changed\n' | docent tx)"}),
    };
}

} // namespace

std::vector<CommandEntry> node_entries() {
    std::vector<CommandEntry> entries = reading_entries();
    for (auto& entry : writing_entries()) entries.push_back(std::move(entry));
    return entries;
}

} // namespace docent::cli
