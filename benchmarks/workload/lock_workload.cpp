// SPDX-License-Identifier: Apache-2.0
// Locks under load. A run prints one line of key=value figures, as the peers' programs do. See README.md here.

#include "works.hpp"

namespace {

constexpr auto usage = R"(usage: lock_workload --connect H:P --work WORK ...
  free         [--kind KIND] --n N [--warmup N]       blocking acquire and release of a free lock, one after the other: a mutex,
                                                      read, write, semaphore, semaphore3 (three permits of five) or multi3
                                                      (three mutexes)
  coroutine    --n N [--warmup N]                     the same for a mutex, by co_await on one thread
  contended    --clients N [--hold-us N] [--pause-us N] WINDOW
                                                      clients with a session each take turns
  queue        --n N WINDOW                           N of one client take turns: turns, memory and threads
  many         --locks N WINDOW                       N locks of one client, each taken and released again and again
  transaction  --n N WINDOW                           N guarded transactions of one client at a time
  kept         --keep-ms N [--kind mutex|read] [--threads N] [--objects each|one] WINDOW
                                                      one process alone with a lock that it keeps: each thread by an object
                                                      of its own, or all by one
  recall       --keep-ms N --n N [--kind mutex|read]  another session takes what was kept
  local        [--local-handovers N] [--processes N] [--threads N] WINDOW
                                                      threads of one process, or of several, take turns
  latch        --n N [--warmup N] [--settle-ms N]     a leader latch that is alone; and the lead handed on by resign()
  loss         --direct H:P --session-ms N --proxy-pid PID
               a holder behind a proxy that is stopped: when does it hear, when is the next one granted?
  holders      --clients N [--processes N] [--locks N] [--session-ms N] [--heartbeats frequent|relaxed] [--ramp-ms N]
               [--hold-us N] [--settle-ms N] --ms N   sessions with a lease each; with --locks, sessions that wait for these
                                                      locks. Prints "ready" after --settle-ms, and figures --ms later
  reconnect    --n N                                  connections with TLS to a port of this machine that break: how many
                                                      resume the session of TLS
  rtt          --n N                                  time of an exists on the same way: the yardstick
With --tls-ca FILE, and maybe --tls-cert FILE and --tls-key FILE, all clients speak TLS, as those of the command do.
WINDOW is --ms N [--warmup-ms N]: for how long turns count, and for how long they do not at first.
)";

const Works works = {{"free", run_free},           {"coroutine", run_coroutine},
                     {"contended", run_contended}, {"queue", run_queue},
                     {"many", run_many},           {"transaction", run_transaction},
                     {"kept", run_kept},           {"recall", run_recall},
                     {"local", run_local},         {"latch", run_latch},
                     {"loss", run_loss},           {"holders", run_holders},
                     {"reconnect", run_reconnect}, {"rtt", run_rtt}};

} // namespace

int main(int argc, char** argv) {
    return run_work(argc, argv, "lock_workload", usage, works);
}
