// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/command_table.hpp"
#include "cli/messages.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <system_error>
#include <utility>

#include <signal.h>
#include <unistd.h>

namespace docent::cli {
namespace {

QueueTime queue_time(const ArgumentReader& given) {
    if (given.has("--no-wait") && given.has("--wait")) given.fail("--wait and --no-wait exclude each other");
    if (given.has("--no-wait")) return NoQueue{};
    if (const auto time = given.duration("--wait")) return AtMostInQueue{*time};
    return ForeverInQueue{};
}

std::optional<milliseconds> max_hold(const ArgumentReader& given) {
    const auto most = given.duration("--max-hold");
    if (most && most->count() == 0) given.fail("--max-hold must be longer than 0");
    if (most && given.duration("--hold-at-least").value_or(milliseconds(0)) >= *most)
        given.fail("--hold-at-least must be shorter than --max-hold");
    return most;
}

LockOptions lock_options(const ArgumentReader& given) {
    return {.others = given.has("--kazoo") ? kazoo_contenders() : OtherContenders{}, .max_hold = max_hold(given)};
}

constexpr auto beside_readers = "the same, with many readers or one writer";
constexpr int largest_exit_code = 255;

int conflict_exit_code(const ArgumentReader& given) {
    const auto code = given.number<std::int32_t>("--conflict-exit-code").value_or(exit_code::not_acquired);
    if (code > largest_exit_code) given.fail("--conflict-exit-code must be at most " + std::to_string(largest_exit_code));
    return code;
}

constexpr std::size_t longest_label = 1000;

std::optional<std::string> label(const ArgumentReader& given) {
    auto text = given.value("--label");
    if (text && text->size() > longest_label)
        given.fail("--label must have at most " + std::to_string(longest_label) + " bytes");
    return text;
}

Parents own_parents(const ArgumentReader& given) {
    const auto how = given.value("--own-parents").value_or("container");
    if (how == "container") return Parents::container;
    if (how != "persistent") given.fail("--own-parents must be container or persistent, not '" + how + "'");
    return Parents::persistent;
}

bool is_program(const std::string& path) {
    std::error_code ec;
    return std::filesystem::is_regular_file(path, ec) && ::access(path.c_str(), X_OK) == 0;
}

/// Refuses a CMD without `--`. docent would take its words for paths, lock them, and never run it.
void refuse_forgotten_dashes(const ArgumentReader& given) {
    for (std::size_t place = 1; const auto word = given.positional(place); ++place) {
        if (!word->starts_with('/')) given.fail("'" + *word + "' is no path; a command goes behind --: PATH -- CMD...");
        if (is_program(*word)) given.fail("'" + *word + "' is a program; a command goes behind --: PATH -- " + *word);
    }
}

/// CMD. Without CMD, refuses the options that need one.
std::vector<std::string> program(const ArgumentReader& given) {
    if (given.has_program()) return given.program();
    refuse_forgotten_dashes(given);
    for (const auto* option : {"--grace", "--hold-at-least", "--once-per", "--signal"}) {
        if (given.has(option)) given.fail(std::string(option) + " needs a command: PATH -- CMD...");
    }
    return {};
}

/// Refuses a lock at `/`: its nodes would stand beside /zookeeper and all other nodes, and Curator would wait for each of them.
void refuse_root(const ArgumentReader& given) {
    for (std::size_t place = 0; const auto path = given.positional(place); ++place) {
        if (*path == "/") given.fail("/ cannot be locked; choose a path below it, such as /app/lock");
    }
}

std::optional<std::string> on_lost(const ArgumentReader& given) {
    auto command = given.value("--on-lost");
    if (command && command->find_first_not_of(" \t\r\n") == command->npos)
        given.fail("--on-lost is empty, and names no command");
    return command;
}

HoldRequest hold_request(const ArgumentReader& given) {
    refuse_root(given);
    return HoldRequest{.connection = given.connection(),
                       .path = given.path(),
                       .wait = queue_time(given),
                       .grace = given.duration("--grace"),
                       .hold_at_least = given.duration("--hold-at-least"),
                       .lock_options = lock_options(given),
                       .revocable = given.has("--revocable"),
                       .program = program(given),
                       .more_paths = given.more_paths(),
                       .conflict_exit_code = conflict_exit_code(given),
                       .end_signal = given.signal("--signal").value_or(SIGTERM),
                       .label = label(given),
                       .verbose = given.has("--verbose"),
                       .quiet = given.has("--quiet"),
                       .on_lost = on_lost(given),
                       .own_parents = own_parents(given)};
}

template <LockKind Kind> Command build_lock(const ArgumentReader& given) {
    return LockCommand{.hold = hold_request(given), .kind = Kind};
}

Command build_mutex(const ArgumentReader& given) {
    LockCommand command{.hold = hold_request(given), .once_per = given.duration("--once-per")};
    if (command.once_per && command.once_per->count() == 0) given.fail("--once-per must be longer than 0");
    if (command.once_per && !command.hold.more_paths.empty()) given.fail("--once-per is for one PATH");
    return command;
}

Command build_semaphore(const ArgumentReader& given) {
    const auto permits = given.number<std::int32_t>("--permits");
    if (!permits) given.fail("how many permits are there? (--permits N, the same for everybody who uses this path)");
    if (*permits == 0) given.fail("--permits must be at least 1");
    const auto count = given.number<std::int32_t>("--count").value_or(1);
    if (count == 0) given.fail("--count must be at least 1");
    if (count > *permits) {
        given.fail("--count " + std::to_string(count) + " is more than the " + std::to_string(*permits) + " of --permits");
    }
    return SemaphoreCommand{.hold = hold_request(given), .permits = *permits, .count = count};
}

Command build_elect(const ArgumentReader& given) {
    auto id = given.value("--id");
    if (id && id->empty()) given.fail("--id must not be empty");
    if (!given.has_program()) given.program(); // throws: CMD is missing
    return ElectCommand{.hold = hold_request(given), .id = std::move(id), .once = given.has("--once")};
}

constexpr std::size_t longest_item = 255;
constexpr std::int32_t most_items = 100'000;
constexpr std::int32_t heaviest = 1'000'000;

/// `64`: the items 0 to 63. Otherwise names with commas in between.
std::vector<std::string> items(const ArgumentReader& given) {
    const auto text = given.value("--items");
    if (!text)
        given.fail("which items are there? (--items N or --items NAME,NAME..., the same for everybody who uses this path)");
    std::vector<std::string> items;
    if (text->find_first_not_of("0123456789") == text->npos) {
        const auto count = given.number<std::int32_t>("--items").value_or(0);
        if (count == 0 || count > most_items)
            given.fail("--items must be at least 1, and at most " + std::to_string(most_items));
        for (std::int32_t item = 0; item < count; ++item) items.push_back(std::to_string(item));
        return items;
    }
    if (text->find_first_of("+- ") == 0) given.fail("--items must be a number or names, not '" + *text + "'");
    for (std::size_t begin = 0; begin <= text->size();) {
        const std::size_t end = std::min(text->find(',', begin), text->size());
        items.push_back(text->substr(begin, end - begin));
        if (items.back().empty()) given.fail("--items has an item without a name");
        if (items.back().size() > longest_item) given.fail("a name in --items must have at most 255 bytes");
        begin = end + 1;
    }
    auto sorted = items;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) given.fail("--items has '" + *twice + "' twice");
    return items;
}

Command build_partition(const ArgumentReader& given) {
    auto id = given.value("--id");
    if (id && (id->empty() || id->size() > longest_item)) given.fail("--id must have 1 to 255 bytes");
    const auto weight = given.number<std::int32_t>("--weight").value_or(1);
    if (given.has("--keep-place") && !id)
        given.fail("--keep-place needs --id, so that this machine has the same name after its restart");
    if (weight == 0 || weight > heaviest) given.fail("--weight must be 1 to " + std::to_string(heaviest));
    if (!given.has_program()) given.program(); // throws: CMD is missing
    PartitionCommand command{.hold = hold_request(given),
                             .items = items(given),
                             .id = std::move(id),
                             .weight = static_cast<std::uint32_t>(weight),
                             .keeps_place = given.has("--keep-place")};
    command.join_delay = given.duration("--join-delay").value_or(command.join_delay);
    command.leave_grace = given.duration("--leave-grace").value_or(command.leave_grace);
    return command;
}

constexpr OptionEntry verbose_option{
    .name = "--verbose",
    .help = "report the holder while waiting (at once, and then again and again), the start and the end of holding, and "
            "a session timeout that the servers have changed"};

constexpr OptionEntry own_parents_option{
    .name = "--own-parents",
    .value = "MODE",
    .help = "how docent makes PATH and its parents if they are missing: container (the servers remove them some time "
            "after their last child is gone) or persistent (they stay). Default: container, or persistent on a server "
            "without containers (ClickHouse Keeper)"};

constexpr OptionEntry signal_option{
    .name = "--signal",
    .value = "SIGNAL",
    .help = "the signal that asks CMD, and all processes that it started, to end; for example INT (default: TERM)"};

/// The options of all commands that run CMD under a lock.
std::vector<OptionEntry> hold_options() {
    return {
        {.name = "--wait",
         .value = "TIME",
         .help = "give up after TIME, which includes connecting (exit status 75; 69 if no server has answered). docent waits "
                 "at least 1 s for a connection",
         .short_name = "-w",
         .alternative = "--no-wait"},
        {.name = "--no-wait",
         .help = "give up at once if the lock is not free (75), or if each server refuses the connection (69)",
         .short_name = "-n"},
        {.name = "--conflict-exit-code",
         .value = "CODE",
         .help = "exit with CODE instead of 75 if the lock was not acquired in time",
         .short_name = "-E"},
        {.name = "--hold-at-least",
         .value = "TIME",
         .help = "hold the lock for at least TIME from the start of CMD, even if CMD ends sooner; a signal to docent ends "
                 "this. For short jobs on several machines with different clocks"},
        {.name = "--max-hold",
         .value = "TIME",
         .help = "hold the lock for at most TIME. Then end CMD and all processes that it started, as after a loss, with the "
                 "same grace. Release the lock when they are gone, and exit with 124"},
        {.name = "--grace",
         .value = "TIME",
         .help =
             "the time between SIGTERM and SIGKILL for CMD after a loss. Default: a twelfth of the session timeout. docent "
             "counts the lock as lost after 7/12 of that timeout without an answer (19/48 with --relaxed-heartbeats). So by "
             "default CMD is gone before ZooKeeper grants the lock to the next holder"},
        {.name = "--revocable",
         .help =
             "if another client asks for the lock (docent revoke), end CMD and all processes that it started, as after a loss, "
             "with the same grace. Release the lock when they are gone, and exit as CMD did (143 if SIGTERM ended it)"},
        signal_option,
        {.name = "--on-lost",
         .value = "SHELL-CMD",
         .help = "a command for sh -c that docent runs when the lock was lost: after CMD and all processes that it started "
                 "are gone, or at once without CMD. Its variables: DOCENT_LOST_PATH, DOCENT_LOST_NODE, DOCENT_LOST_TOKEN, and "
                 "DOCENT_LOST_REASON (node_deleted; no_answer: no server answered in time; session_ended; or unknown). Its "
                 "output goes to docent's stderr. When the lock is released, docent waits for the end of this command before "
                 "it exits, for 10 s at most; a signal such as SIGTERM or SIGINT ends this wait"},
        own_parents_option,
        {.name = "--label",
         .value = "TEXT",
         .help = "the text that docent inspect and waiting commands show for this holder (default: USER@HOST:PID and the name "
                 "of CMD)"},
        {.name = "--quiet",
         .help = "do not report the wait, and do not report that the lock was not acquired in time (75): for cron. Errors, "
                 "losses, and a wait for a docent that this one runs in are reported",
         .short_name = "-q",
         .alternative = "--verbose"},
        verbose_option};
}

constexpr OptionEntry kazoo_option{
    .name = "--kazoo",
    .help = "also wait for the locks of kazoo (Python). Each user of PATH must give this option, Java programs must not use "
            "PATH, and kazoo needs extra_lock_patterns. See docs/recipes/kazoo.md"};

constexpr std::string_view remarks =
    R"(Without CMD, docent holds the lock until SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM or SIGABRT comes (exit status 0), or until
the lock is lost. It prints a line with the node and the fencing token as soon as it holds the lock, for each PATH.

A command that waits for longer than 10 s reports the holder and the age of the holder's node on stderr, or that no server answers.
It reports again after 20 s, 40 s and so on. A command that waits for the docent that it runs in (DOCENT_OWNER) reports that at once.

Use one kind of lock at a PATH: lock, semaphore, or read-lock with write-lock. Locks of different kinds do not exclude each other.

CMD sees DOCENT_FENCING_TOKEN (a number that grows with each holder), DOCENT_LOCK_PATH, DOCENT_LOCK_NODE and DOCENT_OWNER.
docent deadlocks uses DOCENT_OWNER to find the locks that CMD takes. CMD does not see --connect, --namespace and other options. If CMD
runs docent, set DOCENT_CONNECT and DOCENT_NAMESPACE, or write them into the config file.

docent passes signals on to CMD. While docent waits, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM and SIGABRT end the wait, and other
signals do nothing. When the lock is lost, CMD and all processes that it started get SIGTERM (or the signal of --signal), and
SIGKILL after the grace. When docent is killed, CMD is killed with it.

Exit status: CMD's own (128+N if signal N ended it); 75 (or CODE) not acquired in time; 76 lock lost; 124 --max-hold is over; 69 no
ZooKeeper answered; 1 the server refused it (ACLs, quotas); 126 CMD is not executable; 127 CMD was not found; 64 usage.)";

constexpr std::string_view elect_remarks =
    R"(CMD sees DOCENT_FENCING_TOKEN (a number that grows with each leader), DOCENT_LOCK_PATH and DOCENT_LOCK_NODE.

docent passes signals on to CMD. While docent waits, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM and SIGABRT end the wait, and other
signals do nothing.

When the lead is lost, CMD and all processes that it started get SIGTERM (or the signal of --signal), and SIGKILL after the grace. As
long as the session lives, the next participant leads only after they are gone. Then docent stands for election again, behind all
others, and waits without a limit, also for servers. If one of the signals above came meanwhile, docent ends instead (128+N). When
docent is killed, CMD is killed with it.

Exit status: CMD's own when CMD has ended by itself (128+N if signal N ended it); with --once, 76 lead lost, 124 --max-hold
is over; 69 no ZooKeeper answered at the beginning; 1 the server refused it; 126 CMD is not executable; 127 CMD was not found; 64 usage.)";

constexpr std::string_view partition_remarks =
    R"(CMD sees DOCENT_ITEM, DOCENT_FENCING_TOKEN (a number that grows with each holder of the item), DOCENT_LOCK_PATH,
DOCENT_LOCK_NODE and DOCENT_OWNER. Its standard input is empty, and it has no terminal and a process group of its own. Ctrl-Z stops
docent, but not the CMDs.

Each CMD has a docent and a session of its own. So a machine needs a connection for each of its items and one more: raise the servers'
maxClientCnxns (60 by default) if one machine may have that many items.

SIGTERM, SIGINT, SIGHUP and SIGQUIT end docent: it gives its items to the other machines, ends all CMDs, and exits with 0. When docent
is killed, all CMDs end as well. If the servers stop answering later, docent waits for them without a limit. Under systemd, use
KillMode=mixed and Delegate=yes, as for docent elect. docent inspect PATH shows the share of each machine.

Exit status: 0 ended by a signal; 126 CMD is not executable; 127 CMD was not found; 69 no ZooKeeper answered at the beginning;
1 failure; 64 usage.)";

/// The common parts of commands that run CMD.
CommandEntry running(CommandEntry entry) {
    entry.connects = true;
    entry.program = Presence::required;
    entry.arguments = {path_argument};
    return entry;
}

CommandEntry holding(CommandEntry entry) {
    for (const OptionEntry& option : hold_options()) entry.options.push_back(option);
    entry.remarks = remarks;
    entry = running(std::move(entry));
    entry.program = Presence::optional;
    return entry;
}

/// The common parts of commands that take several locks.
CommandEntry locking(CommandEntry entry) {
    entry = holding(std::move(entry));
    entry.arguments.back().times = Times::once_or_more;
    return entry;
}

} // namespace

std::vector<CommandEntry> hold_entries() {
    return {
        locking(
            {.name = "lock",
             .summary = "run CMD while holding the lock",
             .description =
                 R"(Waits for its turn at PATH, runs CMD while it alone holds the lock, and releases the lock when CMD ends. The
lock is Curator's InterProcessMutex: fair, and shared with Java programs that use the same PATH. With several PATHs, docent holds all
of them or none; their order does not matter, and cannot make a deadlock.)",
             .build = build_mutex,
             .options =
                 {{.name = "--once-per",
                   .value = "TIME",
                   .help =
                       "run CMD only if it is due: no run with exit status 0 has begun within the last TIME, on "
                       "the servers' clock. Otherwise exit with 0 (--verbose reports it). The record of the last "
                       "run is in PATH.last-run. Say about half of the time between two starts, such as 12h for each night"},
                  kazoo_option},
             .example = "docent lock /nightly --no-wait -- ./nightly-job.sh"}),
        locking(
            {.name = "read-lock",
             .summary = "the same, together with other readers",
             .group = beside_readers,
             .description =
                 R"(Waits for its turn at PATH, runs CMD while no writer holds the lock, and releases the lock when CMD ends. Other
readers may hold it at the same time. The lock is the reading side of Curator's InterProcessReadWriteLock: fair, and shared with Java
programs that use the same PATH. See also: docent help write-lock)",
             .build = build_lock<LockKind::read>,
             .options = {kazoo_option},
             .example = "docent read-lock /config -- cat /shared/config"}),
        locking(
            {.name = "write-lock",
             .summary = "the same, without readers and other writers",
             .group = beside_readers,
             .description =
                 R"(Waits for its turn at PATH, runs CMD while no reader and no other writer holds the lock, and releases the
lock when CMD ends. The lock is the writing side of Curator's InterProcessReadWriteLock: fair, and shared with Java programs that use
the same PATH. See also: docent help read-lock)",
             .build = build_lock<LockKind::write>,
             .options = {kazoo_option},
             .example = "docent write-lock /config --wait 1m -- ./update-config.sh"}),
        holding(
            {.name = "semaphore",
             .summary = "the same, with K of N permits",
             .description =
                 R"(Waits until K of the N permits at PATH are free, takes them together, runs CMD, and releases them when CMD
ends. So CMD runs at most N/K times at any moment. The semaphore is Curator's InterProcessSemaphoreV2: fair, and shared with Java
programs that use the same PATH.)",
             .build = build_semaphore,
             .options = {{.name = "--permits",
                          .value = "N",
                          .help = "the number of permits; each user of PATH must give the same number. docent warns if a "
                                  "holder was given another number",
                          .presence = Presence::required},
                         {.name = "--count", .value = "K", .help = "how many permits to take (default: 1)"}},
             .example = "docent semaphore /licence --permits 5 -- ./render.sh"}),
        running(
            {.name = "elect",
             .summary = "run CMD on one machine of several: the leader",
             .description =
                 R"(Stands for election at PATH, runs CMD while it leads, and exits when CMD exits. When the lead is lost, docent ends
CMD and stands for election again. So of several machines with the same line, one runs CMD. docent does not start CMD again after CMD
has exited: let the service manager restart docent (Restart=always of systemd). The election is Curator's LeaderLatch: in the order of
arrival, and shared with Java programs that use the same PATH. docent leader PATH shows the leader.)",
             .build = build_elect,
             .options =
                 {{.name = "--id",
                   .value = "ID",
                   .help = "the name of this participant for docent leader and for the others (default: USER@HOST:PID CMD)"},
                  {.name = "--once",
                   .help = "after a loss, do not stand for election again: exit with 76, or with 124 when --max-hold is "
                           "over"},
                  {.name = "--max-hold",
                   .value = "TIME",
                   .help = "lead for at most TIME. Then end CMD as after a loss, and stand for election again behind all "
                           "others, so that each has its turn"},
                  {.name = "--grace",
                   .value = "TIME",
                   .help = "the time between SIGTERM and SIGKILL for CMD after a loss. Default: a twelfth of the session "
                           "timeout, so that CMD is gone before the next participant leads"},
                  signal_option,
                  own_parents_option,
                  verbose_option},
             .remarks = elect_remarks,
             .example = "docent elect /app/leader -- ./scheduler"}),
        running(
            {.name = "partition",
             .summary = "run CMD for each item of this machine's share",
             .description =
                 R"(Divides the items among all machines with the same line, and runs CMD once for each item of this machine, while it
alone holds the lock of the item. When machines come or go, as few items as possible move. CMD of an item that goes to another machine
gets SIGTERM, and SIGKILL after the grace. The other machine starts its CMD when all processes of the first one are gone. When CMD
exits, all processes that it started end as well, and docent starts it again: after 0.5 s if CMD ran for 10 s or more, otherwise after
1 s, 2 s, 4 s, and so on, up to 1 min. If CMD cannot be started (not found, or not executable), docent gives its items to the other
machines, and exits.)",
             .build = build_partition,
             .options =
                 {{.name = "--items",
                   .value = "N|NAME,NAME...",
                   .help = "the items: 0 to N-1, or these names; the same for each machine",
                   .presence = Presence::required},
                  {.name = "--id",
                   .value = "ID",
                   .help = "the name of this machine in the plan; different on each machine (default: USER@HOST:PID CMD)"},
                  {.name = "--weight",
                   .value = "N",
                   .help = "the share of this machine in proportion to the others (default: 1)"},
                  {.name = "--join-delay",
                   .value = "TIME",
                   .help = "how long this machine waits before it makes a plan with a new machine (default: 2s)"},
                  {.name = "--leave-grace",
                   .value = "TIME",
                   .help = "how long the items of a machine that has gone wait for it (default: 2s)"},
                  {.name = "--keep-place",
                   .help = "when docent is asked to end, let the items wait for its restart, for the time of --leave-grace. "
                           "Needs a fixed --id"},
                  {.name = "--grace",
                   .value = "TIME",
                   .help = "the time between SIGTERM and SIGKILL for CMD. Default, and the most after a loss of the lock: a "
                           "twelfth of the session timeout"},
                  signal_option,
                  own_parents_option,
                  verbose_option},
             .remarks = partition_remarks,
             .example = "docent partition /app/shards --items 32 -- ./work-on-a-shard"}),
    };
}

} // namespace docent::cli
