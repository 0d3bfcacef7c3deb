// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/entries.hpp"

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
    if (!is_lock_node(node)) given.fail("'" + node + "' is not the node of a lock; docent inspect PATH shows the nodes");
    return RevokeCommand{.connection = given.connection(), .node = node};
}

} // namespace

std::vector<CommandEntry> view_entries() {
    return {
        printing(
            {.name = "inspect",
             .summary = "who holds the locks at PATH or leads, and who waits",
             .description =
                 R"(Shows who takes part in the locks and elections at PATH, docent's and Curator's, without taking part. On a terminal: a
table with the place in the queue, the kind, who holds and who waits for whom, how long the node has been there by this machine's
clock, the session, the node's data (usually the machine) and the node; in colours unless $NO_COLOR is set. Elsewhere a line for
each, for scripts: recipe, place, holds or waits, kind, data, session, fencing token, node; nothing if nobody is there. If there is
no node PATH it says so on stderr, and goes on as with nobody there, exit status 0: it is not there before the first lock, nor some
time after the last one. docent exists PATH tells the two apart. Children
of PATH that no recipe has made follow as strangers: a Java Curator may wait for them for ever. Those that are locks themselves are
told as lock, in JSON as locks, but for --watch (of up to 100 strangers, each is listed once for that). Of a semaphore, the leases come
first, then its gate (kind lock), where one after the other waits for permits. For scripts all leases hold; the table says
reserved of those that the first at the gate has only put aside until there are enough: those with its session, and a token above
its own. What another thread of its process holds looks the same, unless owners tell them apart (docs/on-call/deadlocks.md).
Locks of several kinds at one PATH do not exclude each other: that is warned of. The nodes of a LeaderSelector are those of a
mutex.)",
             .build = build_inspect,
             .arguments = {{"PATH"}},
             .options = {{.name = "--kazoo",
                          .help = "the locks of kazoo (Python) take part, too, as with docent lock --kazoo: they are no "
                                  "strangers. See docs/recipes/kazoo.md"},
                         {.name = "--watch",
                          .help =
                              "show it again after each change, until Ctrl-C: in place on a terminal, elsewhere one after the "
                              "other. PATH need not be there yet. ZooKeeper tells of changes; it is looked at most once a "
                              "second, and a node is read once"}},
             .remarks =
                 R"(With --watch: a look takes one request to list PATH, two more for a semaphore, and one for each node that was not there
before. If no server answers at the beginning it ends (exit status 69); later it says so, and goes on when one does.)",
             .example = "docent inspect /app/lock --watch"}),
        printing(
            {.name = "top",
             .summary = "all locks below PATH, live: holders, waiters, turns",
             .description =
                 R"(Shows all locks, semaphores and elections at PATH (default: /) and below, docent's and Curator's, a line each: kind (read
or write where one of the two holds a read/write lock, or is to), how many hold of how many that may at once, how many wait, how
long the first holder's node and that of the first who waits have been there by this machine's clock, turns in the last minute,
strangers (children that no recipe has made), and whom the first holder says that it is. A line appears when somebody has come,
and stays, as free, while the path is there. Keys: arrows and Page keys choose a line, Enter shows its queue, Esc goes back; s
sorts by path, waiters, age, oldest waiter or turns; / filters; r asks the holder to give it up, as docent revoke does, after a
question; h helps; q quits. While no server answers it says so, and shows what it knew.)",
             .build = build_top,
             .arguments = {{"PATH", Presence::optional}},
             .options = {{.name = "--once", .help = "print the lines once, without a screen, and end"},
                         {.name = "--max-nodes",
                          .value = "N",
                          .help = "how many nodes are listed and watched at most (default: 10000); the others are left out, "
                                  "and counted"}},
             .remarks =
                 R"(With --json: once, an object with locks, an array. How many permits a semaphore has is not in its nodes: its limit is -,
in JSON null; and what the first at its gate has put aside counts as held, until its queue is opened (reserved there). A PATH
that does not exist has no locks: with --once that is said on stderr, and the exit status is 0.

What it costs the servers: at the start one list with a watch for each node at PATH and below that is not a lock's own (three
for a semaphore), and at most two reads for each lock. Then a heartbeat; and in each session timeout one exists for each watched node
(2048 at most), in case an event was lost. For a queue that changes: one list with a watch, at most once a second, and at most two
reads. An open queue: each of its nodes is read once. --once sets no watches. After the loss of a session, all is listed once more,
64 requests at a time.)",
             .example = "docent top /app"}),
        {.name = "break",
         .summary = "remove a holder's or waiter's node, after a question",
         .description =
             R"(Shows who holds, or waits, by NODE: recipe, label, age, session, token; asks, and removes that node and no other one. A
holder of docent's is told and must stop; a Curator that does not look goes on, and what any of them was writing may still
arrive: fencing tokens help (docs/how-to/fence-a-write.md). The next one gets the lock at once, so break a lock only when you know that its
holder no longer works; docent revoke asks the holder instead. NODE is PATH/NAME with a NAME that docent inspect PATH shows (of
a semaphore, PATH/leases/NAME). If the node has gone meanwhile, or another one has its name, nothing is removed: exit status 1,
as when the answer is no.)",
         .build = build_break,
         .connects = Connects::yes,
         .arguments = {{"NODE"}},
         .options = {{.name = "--yes", .help = "do not ask; needed where no terminal is", .short_name = "-y"},
                     {.name = "--kazoo", .help = "NODE may be one of kazoo's (Python)"}},
         .example = "docent break /app/lock/_c_2c4a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-lock-0000000042"},
        printing(
            {.name = "deadlocks",
             .summary = "whether holders of locks wait for each other",
             .description =
                 R"(Looks at all locks and semaphores at PATH (default: /) and below, docent's and Curator's, for those who wait for each
other in a circle, so that none of them can go on before another one does. Prints each circle, a line a wait (and whom the
holder runs, if that one has the next wait), and exits with 1 if there is one, else with 0 and prints nothing; if there is no
node PATH it says so on stderr, and exits with 0. It looks twice, and tells only of nodes that were there both times, so of
nothing that was never there at once. A circle is certain where the nodes name owners, as those of docent lock and docent
semaphore do: also of a CMD that runs docent itself (DOCENT_OWNER in its environment). Elsewhere only the session is known: if a
process takes its locks in several threads, by one client, the circle is a possible deadlock. See docs/on-call/deadlocks.md.
Elections, locks of kazoo and how many permits a semaphore has are not looked at. Costs a request for each node below PATH that
is no lock's, and twice two or three and one for each participant for each lock.)",
             .build = build_deadlocks,
             .arguments = {{"PATH", Presence::optional}},
             .options = {{.name = "--dot", .help = "print the circles as a graph for Graphviz"},
                         {.name = "--svg", .help = "print them as a drawing, by Graphviz' dot; exit status 127 without it"}},
             .example = "docent deadlocks /app --svg >deadlocks.svg"}),
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
wait for what comes of it. That is up to the holder: docent lock listens with --revocable. The holder's label is written over by
that, so a line says whose it was. NODE is PATH/NAME with a NAME that
docent inspect PATH shows (of a semaphore, PATH/leases/NAME); one that is no lock's node is refused, for its data would be lost.)",
         .build = build_revoke,
         .connects = Connects::yes,
         .arguments = {{"NODE"}}},
    };
}

} // namespace docent::cli
