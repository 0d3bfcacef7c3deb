// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/entries.hpp"

#include <docent/recipes/revocation.hpp>

namespace docent::cli {
namespace {

template <typename Reading> Command build_reading(const ArgumentReader& given) {
    return Reading{.connection = given.connection(), .format = given.format(), .path = given.path()};
}

Command build_inspect(const ArgumentReader& given) {
    return InspectCommand{
        .connection = given.connection(), .format = given.format(), .path = given.path(), .kazoo = given.has("--kazoo")};
}

Command build_deadlocks(const ArgumentReader& given) {
    using Format = DeadlocksCommand::Format;
    DeadlocksCommand command{.connection = given.connection()};
    if (given.positional(0)) command.path = given.path();
    if (given.format() == OutputFormat::json) command.format = Format::json;
    if (given.has("--dot") && given.has("--json")) given.fail("--dot and --json exclude each other");
    if (given.has("--dot")) command.format = Format::dot;
    return command;
}

Command build_revoke(const ArgumentReader& given) {
    const std::string node = given.path();
    if (!is_lock_node(node)) given.fail("'" + node + "' is not the node of a lock; docent inspect PATH shows the nodes");
    return RevokeCommand{.connection = given.connection(), .node = node};
}

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

/// One that talks to ZooKeeper and can print JSON.
CommandEntry printing(CommandEntry entry) {
    entry.connects = Connects::yes;
    entry.json = TakesJson::yes;
    return entry;
}

std::vector<CommandEntry> reading_entries() {
    return {
        printing(
            {.name = "inspect",
             .summary = "who holds the locks at PATH or leads, and who waits",
             .description =
                 R"(Shows who takes part in the locks and elections at PATH, docent's and Curator's, without taking part. A line for each:
recipe, place in the queue, holds or waits, kind, the node's data (usually the machine), session, fencing token, node. Children
of PATH that no recipe has made follow as strangers: a Java Curator may wait for them for ever. Prints nothing if nobody is
there. Of a semaphore, the leases come first, then its gate (kind lock), where one after the other waits for permits. All leases
are shown as holding: the nodes do not tell which of them the first at the gate has only reserved. Those have its session, and a
token above its own. The nodes of a LeaderSelector are those of a mutex.)",
             .build = build_inspect,
             .arguments = {{"PATH"}},
             .options = {{.name = "--kazoo",
                          .help = "the locks of kazoo (Python) take part, too, as with docent lock --kazoo: they are no "
                                  "strangers. See docs/recipes/kazoo.md"}}}),
        printing(
            {.name = "deadlocks",
             .summary = "whether holders of locks wait for each other",
             .description =
                 R"(Looks at all locks and semaphores at PATH (default: /) and below, docent's and Curator's, for sessions that wait for each
other in a circle, so that none of them can go on before another one does. Prints each circle, a line a wait, and exits with 1 if
there is one, else with 0 and prints nothing. It looks twice, and tells only of nodes that were there both times, so of nothing
that was never there at once. ZooKeeper knows sessions, not threads: if a process takes its locks in several threads, by one
client, a circle is a possible deadlock; and of a CMD that runs docent itself, nobody knows what holds its other locks. Elections,
locks of kazoo and how many permits a semaphore has are not looked at. Costs a request for each node below PATH that is no
lock's, and twice two or three and one for each participant for each lock.)",
             .build = build_deadlocks,
             .arguments = {{"PATH", Presence::optional}},
             .options = {{.name = "--dot", .help = "print the circles as a graph for Graphviz"}},
             .example = "docent deadlocks /app --dot | dot -Tsvg >deadlocks.svg"}),
        printing(
            {.name = "leader",
             .summary = "who leads at PATH",
             .description =
                 R"(Prints the id of who leads at PATH, or is just about to: docent elect, a LeaderLatch or a LeaderSelector, docent's
or Curator's. An id that is empty, or more than a word, is printed as JSON has it, in quotes. Exits with 1, and prints nothing, if
nobody leads. With --json: an object with leader, which has what docent inspect says of it, or is null. If there are both at PATH,
the one of the LeaderLatch is meant.)",
             .build = build_reading<LeaderCommand>,
             .arguments = {{"PATH"}},
             .example = "docent leader /app/leader"}),
        {.name = "revoke",
         .summary = "ask the holder of a lock to give it up",
         .description =
             R"(Asks whoever holds by NODE to give the lock up: writes __REVOKE__ into it, as Curator's Revoker does, and does not
wait for what comes of it. That is up to the holder: docent lock listens with --revocable. NODE is PATH/NAME with a NAME that
docent inspect PATH shows (of a semaphore, PATH/leases/NAME); one that is no lock's node is refused, for its data would be lost.)",
         .build = build_revoke,
         .connects = Connects::yes,
         .arguments = {{"NODE"}}},
        printing({.name = "ls",
                  .summary = "names of the children",
                  .description = "Prints the names of PATH's children, one a line, sorted. With --json: an array of strings.",
                  .build = build_reading<LsCommand>,
                  .arguments = {{"PATH"}}}),
        printing(
            {.name = "get",
             .summary = "a node's data",
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
                  .description =
                      R"(Replaces PATH's data; - reads it from standard input. DATA that begins with a dash goes behind --. With
--json: the node's new metadata.)",
                  .build = build_set,
                  .arguments = {{"PATH"}, {"DATA"}},
                  .options = {{.name = "--version", .value = "N", .help = "only if the node still has that version"}}}),
        printing(
            {.name = "create",
             .summary = "make a node",
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
         .description = "Removes a node without children.",
         .build = build_delete,
         .connects = Connects::yes,
         .arguments = {{"PATH"}},
         .options = {{.name = "--version", .value = "N", .help = "only if the node still has that version"}}},
        printing({.name = "stat",
                  .summary = "a node's metadata",
                  .description = "Prints PATH's metadata, one field a line, under the names that ZooKeeper gives them.",
                  .build = build_reading<StatCommand>,
                  .arguments = {{"PATH"}}}),
        printing(
            {.name = "exists",
             .summary = "exit 0 if there is such a node, 1 if not",
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
comments. With --json: an array of results as Curator has them, also when the server refused (exit status 1).)",
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
