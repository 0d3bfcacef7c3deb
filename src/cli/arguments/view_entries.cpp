// SPDX-License-Identifier: Apache-2.0

#include "cli/arguments/command_table.hpp"

#include <docent/recipes/revocation.hpp>

#include <cstdint>

namespace docent::cli {
namespace {

Command build_inspect(const ArgumentReader& given) {
    return InspectCommand{.connection = given.connection(),
                          .format = given.format(),
                          .path = given.path(),
                          .kazoo = given.has("--kazoo"),
                          .watch = given.has("--watch")};
}

Command build_break(const ArgumentReader& given) {
    return BreakCommand{
        .connection = given.connection(), .node = given.node(), .yes = given.has("--yes"), .kazoo = given.has("--kazoo")};
}

constexpr std::uint32_t most_nodes = 1'000'000;

Command build_top(const ArgumentReader& given) {
    TopCommand command{.connection = given.connection(), .format = given.format()};
    if (given.positional(0)) command.path = given.path();
    command.once = given.has("--once");
    const auto nodes = given.number<std::uint32_t>("--max-nodes");
    if (nodes && (*nodes == 0 || *nodes > most_nodes)) given.fail("--max-nodes must be from 1 to 1000000");
    if (nodes) command.max_nodes = *nodes;
    return command;
}

Command build_deadlocks(const ArgumentReader& given) {
    using Format = DeadlocksCommand::Format;
    DeadlocksCommand command{.connection = given.connection()};
    if (given.positional(0)) command.path = given.path();
    if (given.format() == OutputFormat::json) command.format = Format::json;
    if (given.has("--dot") + given.has("--svg") + given.has("--json") > 1) {
        given.fail("of --dot, --svg and --json only one can be given");
    }
    if (given.has("--dot")) command.format = Format::dot;
    if (given.has("--svg")) command.format = Format::svg;
    return command;
}

Command build_revoke(const ArgumentReader& given) {
    const std::string node = given.node();
    if (node.find("latch-", node.rfind('/')) != std::string::npos)
        given.fail("'" + node + "' is the node of an election, whose leader cannot be asked; docent break removes the node");
    if (!is_lock_node(node)) given.fail("'" + node + "' is not the node of a lock; docent inspect PATH shows the nodes");
    return RevokeCommand{.connection = given.connection(), .node = node, .force = given.has("--force")};
}

} // namespace

std::vector<CommandEntry> view_entries() {
    return {
        printing(
            {.name = "inspect",
             .summary = "the holders, leaders and waiters at PATH",
             .description =
                 R"(Shows the holders and the waiters of the locks and elections at PATH, docent's and Curator's, without taking part.

On a terminal, it prints a table: the place in the queue, the kind, the state (holds, or the place of the participant that it waits
for), the age of the node on this machine's clock, the session, the node's data (usually the machine), and the node. $NO_COLOR turns
the colours off. Elsewhere it prints a line for each participant, for scripts: recipe, place, holds, waits or reserved, kind, data,
session, fencing token, node.

If PATH does not exist, docent says so on stderr, and prints the same as for a PATH without participants, with exit status 0. A PATH
does not exist before its first lock, and some time after its last one. docent exists PATH tells whether it exists.

Children of PATH that belong to no recipe are listed as strangers: a Java Curator may wait for them without an end. Children that are
locks themselves are listed as lock, in JSON as locks, except with --watch. For that, docent lists up to 100 strangers, once each.

At the path of a partition (docent partition), it also prints each member with its items, and how many items have moved so far; JSON
has partition. --watch does not show these.

A semaphore has two parts: its leases, and then its gate (kind lock), where waiters queue for permits. The table marks leases as
reserved that the first waiter at the gate has put aside until there are enough. These leases have the waiter's session, and a larger
token than its node at the gate. A permit that another thread of that process holds looks the same, unless the nodes name owners
(docs/on-call/deadlocks.md). Lines for scripts have reserved in place of holds, and JSON has reserved.

docent warns if there are locks of several kinds at PATH, because they do not exclude each other. The nodes of a LeaderSelector look
like the nodes of a mutex.)",
             .build = build_inspect,
             .arguments = {path_argument},
             .options = {{.name = "--kazoo",
                          .help = "count the locks of kazoo (Python) as participants, not as strangers, as docent lock --kazoo "
                                  "does. See docs/recipes/kazoo.md"},
                         {.name = "--watch",
                          .help = "print it again after each change, until Ctrl-C. A terminal shows it in place. PATH need not "
                                  "exist yet. docent uses watches, looks at most once a second, and reads each node once"}},
             .remarks =
                 R"(With --watch, a look takes one request to list PATH, two more for a semaphore, and one for each new node. If no
server answers at the beginning, docent ends (exit status 69). Later it says so, and goes on when a server answers.)",
             .example = "docent inspect /app/lock --watch"}),
        printing(
            {.name = "top",
             .summary = "all locks below PATH, live: holders, waiters, turns",
             .description =
                 R"(Shows all locks, semaphores and elections at PATH (default: /) and below, docent's and Curator's, a line each:

  kind        read or write if a reader or a writer is the first at a read/write lock
  holders     how many hold, of how many that may hold at once
  waiters     how many wait
  ages        of the first holder's node and of the first waiter's node, on this machine's clock
  turns       in the last minute
  strangers   children that belong to no recipe
  label       of the first holder

A line appears with the first participant. It stays, as free, as long as the path exists. Each item of a partition is a line, with its
member as label. While no server answers, docent says so, and shows the last state that it knows.

Keys: the arrows and the Page keys choose a line, Enter shows its queue, Esc goes back; s sorts by path, waiters, age, oldest waiter
or turns; / filters; r asks the holder to release the lock, as docent revoke does, after a question; h shows help; q quits.)",
             .build = build_top,
             .arguments = {{"PATH", Presence::optional, Completion::znode}},
             .options = {{.name = "--once", .help = "print the lines once, without a screen, and end"},
                         {.name = "--max-nodes",
                          .value = "N",
                          .help =
                              "list and watch at most N nodes (default: 10000). docent counts the nodes that it leaves out"}},
             .remarks =
                 R"(With --json, docent prints once: an object with locks, an array. A semaphore's limit is not shown: -, in JSON
null. docent get NODE prints the limit that docent semaphore was given (:n2 for two permits). A permit that the first waiter at the gate has put aside is not held; JSON counts it
as reserved. A PATH that does not exist has no locks: with --once docent says so on stderr, with exit status 0.

Cost for the servers at the start: one list with a watch for each node at PATH and below, except nodes of locks (three for a
semaphore), and at most two reads for each lock, and one for each permit of a semaphore with waiters. Later: a heartbeat, and in
each session timeout one exists for each watched node (2048
at most), in case an event was lost. A queue that changes: one list with a watch, at most once a second, and at most two reads. An
open queue: each of its nodes is read once. --once sets no watches. After the loss of a session docent lists all nodes again, 64
requests at a time.)",
             .example = "docent top /app"}),
        {.name = "break",
         .summary = "remove a holder's or waiter's node, after a question",
         .description =
             R"(Shows the holder or the waiter with the node NODE: recipe, label, age, session, token. Asks, and removes that node and no
other node. NODE is PATH/NAME with a NAME that docent inspect PATH shows (for a semaphore, PATH/leases/NAME).

The next waiter gets the lock at once. So break a lock only if you know that its holder no longer works; docent revoke asks the holder
instead. A holder that runs docent notices the loss and stops. A Curator that does not watch its node goes on. A write that was under
way may still arrive after the break: a fencing token lets the store refuse it (docs/how-to/fence-a-write.md).

If the node is gone before the removal, or if another node has its name, docent removes nothing and exits with 1. It does the same if the
answer is no.)",
         .build = build_break,
         .connects = true,
         .arguments = {{.name = "NODE", .completion = Completion::znode}},
         .options = {{.name = "--yes", .help = "do not ask; needed without a terminal", .short_name = "-y"},
                     {.name = "--kazoo", .help = "NODE may be a node of kazoo (Python)"}},
         .example = "docent break /app/lock/_c_2c4a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-lock-0000000042"},
        printing(
            {.name = "deadlocks",
             .summary = "whether holders of locks wait for each other",
             .description =
                 R"(Looks for deadlocks among all locks and semaphores at PATH (default: /) and below, docent's and Curator's: cycles
of holders that wait for each other, so that none of them can go on. Prints each cycle, with a line for each wait. The line names the
program that the holder runs if that program has the next wait. Exits with 1 if there is a cycle. Otherwise it prints nothing, and
exits with 0. If PATH does not exist, docent says so on stderr and exits with 0.

If docent finds a cycle, it looks a second time, and reports only nodes that were there both times. So it reports no cycle whose
parts were never there at once.

A cycle is certain if the nodes name owners, as the nodes of docent lock and docent semaphore do. This includes a CMD that runs docent
(DOCENT_OWNER in its environment). Otherwise docent knows only the sessions. If a process takes its locks in several threads with one
client, such a cycle is a possible deadlock. See docs/on-call/deadlocks.md.

docent does not look at elections, at locks of kazoo, or at the number of permits of a semaphore. Cost: a request for each node below
PATH that belongs to no lock; and for each lock two or three requests, and one for each participant, twice if there may be a cycle.)",
             .build = build_deadlocks,
             .arguments = {{"PATH", Presence::optional, Completion::znode}},
             .options = {{.name = "--dot", .help = "print the cycles as a graph for Graphviz"},
                         {.name = "--svg",
                          .help = "print them as a drawing, made by Graphviz' dot; exit status 127 without dot"}},
             .example = "docent deadlocks /app --svg >deadlocks.svg"}),
        reading<LeaderCommand>(
            {.name = "leader",
             .summary = "the leader at PATH",
             .description =
                 R"(Prints the id of the leader at PATH, or of the participant that leads next: docent elect, a LeaderLatch or a
LeaderSelector, docent's or Curator's. An id that is empty, or longer than a word, is printed in quotes, as in JSON. Exits with 1, and
prints nothing, if there is no leader. With --json: an object with leader, which has the fields of docent inspect, or is null. If both
a LeaderLatch and a LeaderSelector are at PATH, docent prints the leader of the LeaderLatch.)",
             .example = "docent leader /app/leader"}),
        {.name = "revoke",
         .summary = "ask the holder of a lock to release it",
         .description =
             R"(Asks the holder with the node NODE to release its lock, and does not wait for the release: the holder decides. NODE is
PATH/NAME with a NAME that docent inspect PATH shows (for a semaphore, PATH/leases/NAME).

The node tells whether its holder listens: docent lock --revocable marks its nodes, and the nodes of a Java Curator that listens have
no data. If neither is so, docent says that the holder is not known to listen, and asks first; without a terminal it writes nothing and
exits with 1. A program with make_revocable() of docent's library listens without a mark: use --force.

docent writes __REVOKE__ into the node, as Curator's Revoker does, and keeps the label behind it. docent refuses a node that belongs to
no lock, and the node of an election.)",
         .build = build_revoke,
         .connects = true,
         .arguments = {{.name = "NODE", .completion = Completion::znode}},
         .options = {{.name = "--force", .help = "ask also a holder that is not known to listen"}}},
    };
}

} // namespace docent::cli
