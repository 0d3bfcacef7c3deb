// SPDX-License-Identifier: Apache-2.0
// Stands for election, and asks itself again and again whether it leads. Arguments: the servers, the path, the session timeout
// in milliseconds, and the file of its LeaderWords.
#include "leader_words.hpp"

#include <docent/client.hpp>
#include <docent/recipes/leader_latch.hpp>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>
#include <sys/prctl.h>

int main(int argc, char** argv) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::vector<std::string> words(argv + 1, argv + argc);
    const docent::test::SharedLeaderWords said(words.at(3));
    docent::Client client{{.connect_string = words.at(0),
                           .session_timeout = std::chrono::milliseconds(std::stol(words.at(2))),
                           .ensemble_tracking = docent::EnsembleTracking::off}};
    client.start();
    docent::LeaderLatch latch(client, words.at(1), {.id = "the old leader"});
    latch.start();
    for (;;) {
        const auto asked = docent::test::steady_now();
        (latch.has_leadership() ? said->last_yes : said->last_no).store(asked);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}
