// SPDX-License-Identifier: Apache-2.0

// Takes turns at several locks with docent, as the command take-turns of the Java peer does with Curator:
//     turn_taker NAME FILE PATH TURNS [PATH TURNS]...
// Takes the turns of all paths at the same time, on the server in $DOCENT_CONNECT, and ends when all turns were taken.

#include "turn_log.hpp"

#include <docent/docent.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

namespace docent::test {
namespace {

constexpr std::int32_t permits = 3;

void take_turns(Client& client, const TurnLog& log, const std::string& name, const std::string& path, const Turns& turns) {
    InterProcessMutex mutex(client, path);
    InterProcessReadWriteLock lock(client, path);
    InterProcessSemaphore semaphore(client, path, permits);
    const auto acquire = [&](const std::string& side) {
        if (side == "permit") return semaphore.acquire();
        if (side == "read") return lock.read_lock().acquire();
        return side == "write" ? lock.write_lock().acquire() : mutex.acquire();
    };
    for (const Turn& turn : turns) {
        const Lease lease = acquire(turn.side);
        log.append("enter " + turn.side + " " + name);
        log.await_entered(turn);
        client.exists(path); // takes some time
        log.append("leave " + turn.side + " " + name);
    }
}

void run(const std::string& name, const std::vector<std::string>& words) {
    const char* connect = std::getenv("DOCENT_CONNECT");
    const TurnLog log(words.at(0));
    Client client{{.connect_string = connect == nullptr ? "" : connect}};
    client.start();
    std::vector<std::future<void>> all;
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
        all.push_back(std::async(std::launch::async, [&, path = words[i], turns = parse_turns(words[i + 1])] {
            take_turns(client, log, name, path, turns);
        }));
    }
    for (auto& turns : all) turns.get();
}

} // namespace
} // namespace docent::test

int main(int argc, char** argv) {
    try {
        const std::vector<std::string> words(argv + 1, argv + argc);
        docent::test::run(words.at(0), {words.begin() + 1, words.end()});
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
