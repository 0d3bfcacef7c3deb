// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/help.hpp"

#include <map>

namespace docent::cli {
namespace {

constexpr std::string_view overview = R"(usage: docent [OPTIONS] COMMAND ...

Locks for programs on many machines, kept in Apache ZooKeeper; they exclude Apache Curator's, too.

  lock PATH [--wait TIME | --no-wait] [--grace TIME] [--revocable] -- CMD...   run CMD while holding the lock
  read-lock PATH ... -- CMD...               the same, together with others who read
  write-lock PATH ... -- CMD...              the same, while nobody reads or writes
  semaphore PATH --permits N [--count K] ... -- CMD...   the same, with K of N permits
  inspect PATH                               who holds the locks at PATH, and who waits
  revoke NODE                                ask the holder of a lock to give it up
  ls PATH                                    names of the children
  get PATH                                   a node's data
  set PATH DATA [--version N]                replace a node's data
  create PATH [DATA] [--sequential | --container] [--parents]    make a node
  delete PATH [--version N]                  remove a node
  stat PATH                                  a node's metadata
  exists PATH                                exit 0 if there is such a node, 1 if not
  tx [-f FILE]                               apply several changes together, or none
  server [--port P] [--data DIR]             a ZooKeeper for development, in the foreground
  demo                                       see contending clients take turns, on a server of its own
  help [COMMAND]                             this text, or a command's

)";

constexpr std::string_view connection_help = R"(Options for the commands that talk to ZooKeeper:
  --connect H:P,H:P...[/CHROOT]   the servers (default: $DOCENT_CONNECT, then 127.0.0.1:2181)
  --session-timeout TIME          how soon ZooKeeper frees the locks of a client that died (default: 10s)
  --namespace NS                  prefix of all paths: with app, /a is ZooKeeper's /app/a
  --auth SCHEME:CREDENTIALS       e.g. digest:user:password; may be given more than once
When no server answers, they give up after 5 s, with 2 s more for each further server, at most 15 s. Commands that read
see every write that was done before, on whichever server.
)";

constexpr std::string_view json_help =
    R"(  --json                          print JSON (inspect, ls, get, set, create, stat, exists, tx)
)";

constexpr std::string_view units_help = R"(
TIME is a number with a unit: 500ms, 5s, 2m, 1h. DATA of - reads standard input.
)";

constexpr std::string_view exit_codes = R"(
Exit status: 0 done; 1 refused by the server, or the answer is no; 64 usage, nothing was sent; 69 no ZooKeeper
answered; 75 lock not acquired in time; 76 lock lost; 126 and 127 CMD cannot be run; otherwise CMD's own.
)";

constexpr std::string_view lock_help =
    R"(usage: docent lock PATH [--wait TIME | --no-wait] [--grace TIME] [--revocable] -- CMD [ARG...]

Waits for its turn at PATH, runs CMD while nobody else holds that lock, and gives it back when CMD ends. The lock is
Curator's InterProcessMutex: fair, and shared with Java programs that use the same PATH.

)";

constexpr std::string_view read_lock_help =
    R"(usage: docent read-lock PATH [--wait TIME | --no-wait] [--grace TIME] [--revocable] -- CMD [ARG...]

Waits for its turn at PATH, runs CMD while others may read too but nobody writes, and gives the lock back when CMD ends.
The lock is the reading side of Curator's InterProcessReadWriteLock: fair, and shared with Java programs that use the same
PATH. See also: docent help write-lock

)";

constexpr std::string_view write_lock_help =
    R"(usage: docent write-lock PATH [--wait TIME | --no-wait] [--grace TIME] [--revocable] -- CMD [ARG...]

Waits for its turn at PATH, runs CMD while nobody else reads or writes, and gives the lock back when CMD ends. The lock is
the writing side of Curator's InterProcessReadWriteLock: fair, and shared with Java programs that use the same PATH. See
also: docent help read-lock

)";

constexpr std::string_view semaphore_help =
    R"(usage: docent semaphore PATH --permits N [--count K] [--wait TIME | --no-wait] [--grace TIME] [--revocable] -- CMD [ARG...]

Waits until K of the N permits at PATH are free, all at once, runs CMD with them, and gives them back when CMD ends: CMD runs
at most N/K times at any moment. The semaphore is Curator's InterProcessSemaphoreV2: fair, and shared with Java programs that
use the same PATH.

  --permits N    how many there are; everybody who uses PATH must say the same
  --count K      how many to take (default: 1)
)";

constexpr std::string_view hold_help = R"(  --wait TIME    give up after so long in the queue (exit status 75)
  --no-wait      give up if the lock is not free now (75)
  --grace TIME   how long CMD has after SIGTERM when the lock is lost, before SIGKILL. Default: a fifth of the session
                 timeout. The lock is given up for lost at three quarters of that timeout without an answer, so by default
                 CMD is gone before ZooKeeper lets the next one in.
  --revocable    when somebody asks for the lock (docent revoke), end CMD and all that it started as after a loss, with the
                 same grace; give the lock back when they are gone, and exit as CMD did (143 if SIGTERM ended it)

CMD sees DOCENT_FENCING_TOKEN (a number that grows with every holder), DOCENT_LOCK_PATH and DOCENT_LOCK_NODE.
SIGTERM, SIGINT, SIGHUP and SIGQUIT are passed on to CMD; while still waiting they end the wait. When the lock is lost, CMD
and all that it started get SIGTERM, after the grace SIGKILL. When docent is killed, CMD is killed with it.

Exit status: CMD's own (128+N if signal N ended it); 75 not acquired in time; 76 lock lost; 69 no ZooKeeper answered;
126 CMD is not executable; 127 CMD was not found; 64 usage.

)";

constexpr std::string_view lock_example = R"(Example:  docent lock /nightly --no-wait -- ./nightly-job.sh

)";
constexpr std::string_view read_lock_example = R"(Example:  docent read-lock /config -- cat /shared/config

)";
constexpr std::string_view semaphore_example = R"(Example:  docent semaphore /licence --permits 5 -- ./render.sh

)";
constexpr std::string_view write_lock_example = R"(Example:  docent write-lock /config --wait 1m -- ./update-config.sh

)";

constexpr std::string_view inspect_help = R"(usage: docent inspect PATH [--json]

Shows who takes part in the locks at PATH, docent's and Curator's, without taking part. A line for each: recipe, place in
the queue, holds or waits, kind, the node's data (usually the machine), session, fencing token, node. Children of PATH that
no recipe has made follow as strangers: a Java Curator may wait for them for ever. Prints nothing if nobody is there.
Of a semaphore, the leases come first, then its gate (kind lock), where one after the other waits for permits. All leases are
shown as holding: the nodes do not tell which of them the first at the gate has only reserved. Those have its session, and a
token above its own.

)";

constexpr std::string_view revoke_help = R"(usage: docent revoke NODE

Asks whoever holds by NODE to give the lock up: writes __REVOKE__ into it, as Curator's Revoker does, and does not wait for
what comes of it. That is up to the holder: docent lock listens with --revocable. NODE is PATH/NAME with a NAME that docent inspect PATH shows (of a semaphore,
PATH/leases/NAME); one that is no lock's node is refused, for its data would be lost.

)";

constexpr std::string_view ls_help = R"(usage: docent ls PATH [--json]

Prints the names of PATH's children, one a line, sorted. With --json: an array of strings.

)";

constexpr std::string_view get_help = R"(usage: docent get PATH [--json]

Prints PATH's data as it is; on a terminal a newline follows. With --json: an object with path, data and stat; data
that is no UTF-8 text is given as dataBase64 instead.

)";

constexpr std::string_view set_help = R"(usage: docent set PATH DATA [--version N] [--json]

Replaces PATH's data; - reads it from standard input. With --version N only if the node still has that version.
DATA that begins with a dash goes behind --. With --json: the node's new metadata.

)";

constexpr std::string_view create_help = R"(usage: docent create PATH [DATA] [--sequential | --container] [--parents] [--json]

Makes a persistent node and prints its path; DATA of - reads standard input.

  --sequential   the server appends ten digits that grow
  --container    the server removes the node some time after its last child went
  --parents      make missing parents as persistent nodes

With --json: an object with path and stat.

)";

constexpr std::string_view delete_help = R"(usage: docent delete PATH [--version N]

Removes a node without children. With --version N only if it still has that version.

)";

constexpr std::string_view stat_help = R"(usage: docent stat PATH [--json]

Prints PATH's metadata, one field a line, under the names that ZooKeeper gives them.

)";

constexpr std::string_view exists_help = R"(usage: docent exists PATH [--json]

Exits 0 if there is such a node, 1 if there is none. With --json: an object with exists and, if so, stat.

)";

constexpr std::string_view tx_help = R"(usage: docent tx [-f FILE] [--json]

Applies all changes in FILE together, or none; without -f, or with -f -, it reads standard input. One operation a line:

  create PATH [DATA]
  set PATH DATA [VERSION]       only if the node still has that version
  delete PATH [VERSION]
  check PATH [VERSION]          changes nothing, but must hold

Words are separated by blanks; in double quotes they may contain some, and \" \\ \n \t. Lines that begin with # are
comments. With --json: an array of results as Curator has them, also when the server refused (exit status 1).

Example:  printf 'check /config 4\nset /config "new text"\ncreate /log/changed\n' | docent tx

)";

constexpr std::string_view server_help = R"(usage: docent server [--port P] [--data DIR]

Runs a real ZooKeeper for development on 127.0.0.1, in the foreground, until SIGINT or SIGTERM. Needs a Java runtime and
ZooKeeper's jar (Debian's libzookeeper-java, or $ZOOKEEPER_HOME).

  --port P       default 2181; 0 takes a free one
  --data DIR     keep the data there; without it, the data is gone afterwards
)";

constexpr std::string_view demo_help = R"(usage: docent demo

Starts a ZooKeeper of its own on a free port, lets four clients take five turns each under one lock, shows what happens
when a holder is cut off, checks what it says, and leaves nothing running. Takes less than ten seconds.
)";

std::string with_connection(std::string_view text) {
    return std::string(text) + std::string(connection_help);
}

std::string holding(std::string_view what, std::string_view example) {
    return with_connection(std::string(what) + std::string(hold_help) + std::string(example));
}

} // namespace

std::string help_text(std::string_view topic) {
    static const std::map<std::string, std::string, std::less<>> topics = {
        {"lock", holding(lock_help, lock_example)},
        {"read-lock", holding(read_lock_help, read_lock_example)},
        {"write-lock", holding(write_lock_help, write_lock_example)},
        {"semaphore", holding(semaphore_help, semaphore_example)},
        {"inspect", with_connection(inspect_help)},
        {"revoke", with_connection(revoke_help)},
        {"ls", with_connection(ls_help)},
        {"get", with_connection(get_help)},
        {"set", with_connection(set_help)},
        {"create", with_connection(create_help)},
        {"delete", with_connection(delete_help)},
        {"stat", with_connection(stat_help)},
        {"exists", with_connection(exists_help)},
        {"tx", with_connection(tx_help)},
        {"server", std::string(server_help)},
        {"demo", std::string(demo_help)},
    };
    if (const auto found = topics.find(topic); found != topics.end()) return found->second;
    std::string text;
    for (const auto part : {overview, connection_help, json_help, units_help, exit_codes}) text += part;
    return text;
}

} // namespace docent::cli
