// SPDX-License-Identifier: Apache-2.0
// Takes part in an election. On each SIGUSR1 it writes the time to its LeaderAnswers: to last_yes if it leads, else to last_no.
// It writes the first answer without a signal, before it takes part: from then on it can be asked. Arguments: the servers, the
// path, the session timeout in milliseconds, and the file of its LeaderAnswers.
#include "leader_answers.hpp"

#include <docent/client.hpp>
#include <docent/recipes/leader_latch.hpp>

#include <chrono>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/prctl.h>

int main(int argc, char** argv) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t asked;
    ::sigemptyset(&asked);
    ::sigaddset(&asked, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &asked, nullptr);
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const docent::test::SharedLeaderAnswers answers(arguments.at(3));
    docent::Client client{{.connect_string = arguments.at(0),
                           .session_timeout = std::chrono::milliseconds(std::stol(arguments.at(2))),
                           .ensemble_tracking = docent::EnsembleTracking::off}};
    client.start();
    docent::LeaderLatch latch(client, arguments.at(1), {.id = "the old leader"});
    for (int signal = 0;; ::sigwait(&asked, &signal)) {
        const auto now = docent::test::steady_now();
        (latch.has_leadership() ? answers->last_yes : answers->last_no).store(now);
        if (signal == 0) latch.start();
    }
}
