// SPDX-License-Identifier: Apache-2.0
// Locks under load: one line of key=value figures per run, as peers' programs print them. See README.md here.

#include "workload.hpp"

#include <exception>
#include <iostream>
#include <map>

namespace {

constexpr auto usage = R"(usage: lock_workload --connect H:P --work WORK ...
  uncontended  --n N [--warmup N]                     blocking acquire and release of a free lock, one after the other
  free         --kind KIND --n N [--warmup N]         the same for a mutex, read, write, semaphore, semaphore3 (three permits
                                                      of five) or multi3 (three mutexes)
  contended    --clients N --cycles N [--hold-us N]   clients with a session each take turns, N cycles each
  latch        --n N [--warmup N] [--settle-ms N]     a leader latch that is alone; and the lead handed on by resign()
  waiters      --n N                                  memory and threads of N waiters on one client
  loss         --direct H:P --session-ms N --proxy-pid PID
               a holder behind a proxy that is stopped: when does it hear, when is the next one granted?
  rtt          --n N                                  time of an exists on the same way: the yardstick
)";

const std::map<std::string, void (*)(const Options&)> works = {
    {"uncontended", run_uncontended},
    {"free", run_free},
    {"contended", run_contended},
    {"latch", run_latch},
    {"waiters", run_waiters},
    {"loss", run_loss},
    {"rtt", run_rtt},
};

} // namespace

int main(int argc, char** argv) {
    try {
        const Options options(argc, argv);
        const auto work = works.find(options.text("work"));
        if (work == works.end()) throw std::invalid_argument("no such work: " + options.text("work"));
        work->second(options);
        return 0;
    } catch (const std::invalid_argument& e) {
        std::cerr << "lock_workload: " << e.what() << '\n' << usage;
        return 64;
    } catch (const std::exception& e) {
        std::cerr << "lock_workload: " << e.what() << '\n';
        return 1;
    }
}
