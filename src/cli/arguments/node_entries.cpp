// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/command_table.hpp"

namespace docent::cli {
namespace {

constexpr auto looking = "look at nodes";
constexpr auto changing = "change nodes";
constexpr auto controlling = "the access control lists of nodes";

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
    const auto acl = given.value("--acl");
    return CreateCommand{.connection = given.connection(),
                         .format = given.format(),
                         .path = given.path(),
                         .data = given.data(),
                         .mode = create_mode(given),
                         .parents = given.has("--parents") ? Parents::persistent : Parents::fail,
                         .acl = acl ? given.acl(*acl, "--acl") : Acl{}};
}

Command build_set_acl(const ArgumentReader& given) {
    return SetAclCommand{.connection = given.connection(),
                         .format = given.format(),
                         .path = given.path(),
                         .acl = given.acl(given.positional(1).value(), "ACL"),
                         .version = given.number<std::int32_t>("--version").value_or(any_version)};
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

} // namespace

std::vector<CommandEntry> node_entries() {
    return {
        reading<LsCommand>(
            {.name = "ls",
             .summary = "names of the children",
             .group = looking,
             .description = "Prints the names of PATH's children, one a line, sorted. With --json: an array of strings."}),
        reading<GetCommand>(
            {.name = "get",
             .summary = "a node's data",
             .group = looking,
             .description =
                 R"(Prints PATH's data without a change; on a terminal, a newline follows. With --json: an object with path, data
and stat. Data that is not UTF-8 is in dataBase64 instead of data.)"}),
        reading<GetAclCommand>(
            {.name = "get-acl",
             .summary = "a node's access control list",
             .group = controlling,
             .description =
                 R"(Prints the entries of PATH's access control list, one a line, as docent help set-acl describes them. With --json: an
object with acl and stat.)"}),
        printing({.name = "set",
                  .summary = "replace a node's data",
                  .group = changing,
                  .description =
                      R"(Replaces PATH's data. DATA of - reads standard input. DATA that begins with a dash goes behind --. With
--json: the node's new metadata.)",
                  .build = build_set,
                  .arguments = {path_argument, {"DATA"}},
                  .options = {{.name = "--version", .value = "N", .help = "only if the node still has version N"}}}),
        printing(
            {.name = "create",
             .summary = "make a node",
             .group = changing,
             .description =
                 R"(Makes a persistent node and prints its path. DATA of - reads standard input. With --json: an object with
path and stat.)",
             .build = build_create,
             .arguments = {path_argument, {"DATA", Presence::optional}},
             .options = {{.name = "--sequential",
                          .help = "the server appends ten digits to the name, which grow",
                          .alternative = "--container"},
                         {.name = "--container", .help = "the server removes the node some time after its last child is gone"},
                         {.name = "--parents", .help = "make missing parents as persistent nodes"},
                         {.name = "--acl",
                          .value = "ACL",
                          .help =
                              "the access control list of the node (default: open to all clients); see docent help set-acl"}}}),
        printing(
            {.name = "set-acl",
             .summary = "replace a node's access control list",
             .group = controlling,
             .description =
                 R"(Replaces PATH's access control list. ACL has entries between commas, each SCHEME:ID:PERMISSIONS, as ZooKeeper's
own command has them. PERMISSIONS are letters: c create children, d delete children, r read, w write, a admin (replace this list). auth::
stands for the credentials of --auth. An entry does not hold for the nodes below PATH. With --json: the node's new metadata.)",
             .build = build_set_acl,
             .arguments = {path_argument, {"ACL"}},
             .options = {{.name = "--version", .value = "N", .help = "only if the list still has version N (aversion)"}},
             .example = "docent set-acl /app auth::cdrwa,world:anyone:r --auth-file /etc/docent.auth"}),
        {.name = "delete",
         .summary = "remove a node",
         .group = changing,
         .description = "Removes a node without children.",
         .build = build_delete,
         .connects = true,
         .arguments = {path_argument},
         .options = {{.name = "--version", .value = "N", .help = "only if the node still has version N"}}},
        reading<StatCommand>(
            {.name = "stat",
             .summary = "a node's metadata",
             .group = looking,
             .description = "Prints PATH's metadata, one field a line, under the names that ZooKeeper gives them."}),
        reading<ExistsCommand>(
            {.name = "exists",
             .summary = "exit with 0 if the node exists, with 1 if not",
             .group = looking,
             .description =
                 R"(Exits with 0 if the node exists, and with 1 if not. With --json: an object with exists and, for a node that exists, stat.)"}),
        printing({.name = "tx",
                  .summary = "apply several changes together, or none",
                  .description = R"help(Applies all changes in FILE together, or none. One operation a line:

  create PATH [DATA]
  set PATH DATA [VERSION]       only if the node still has VERSION
  delete PATH [VERSION]
  check PATH [VERSION]          changes nothing, but must hold

Blanks separate words. A word in double quotes is a string of JSON, with blanks and with the escapes of JSON, as jq writes it:

  jq -r '.[] | "set \(.path | tojson) \(.data | tojson)"' changes.json | docent tx

Lines that begin with # are comments. With --json: an array of results with Curator's names, also when the server refused the changes
(exit status 1).

A CMD of docent lock can make a change that counts only while the node of its lock exists:

  printf 'check %s\nset /config x\n' "$DOCENT_LOCK_NODE" | docent tx)help",
                  .build = build_tx,
                  .options = {{.name = "--file",
                               .value = "FILE",
                               .help = "the file with the changes; without it, or with -, docent reads standard input",
                               .short_name = "-f",
                               .completion = Completion::file}},
                  .example = R"(printf 'check /config 4\nset /config "new text"\ncreate /log/changed\n' | docent tx)"}),
    };
}

} // namespace docent::cli
