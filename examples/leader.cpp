// SPDX-License-Identifier: Apache-2.0
// Two machines elect a leader. The leader hands out its share of numbers, then lets the other machine lead.
// docs/recipes/leader_latch.md shows it. Usage: leader [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <future>
#include <iostream>
#include <string>
#include <syncstream>

constexpr int share = 5;
constexpr auto numbers = "/examples/leader/numbers";

/// Hands out the next number. The server refuses a client that is not the leader any more.
void hand_out_next(docent::Client& client, const docent::Lease& lead) {
    const docent::NodeData last = client.get(numbers);
    docent::Transaction next;
    next.guard(lead).set_data(numbers, std::to_string(std::stoi(last.data) + 1), last.stat.version);
    client.commit(next.exactly_once());
}

/// Does the work of one machine.
int run(docent::Client& client, const std::string& name) {
    // [latch]
    docent::LeaderLatch latch{client, "/examples/leader", {.id = name}};
    const auto report = [name](const docent::LeadershipEvent& event) {
        std::osyncstream out(std::cout);
        out << name << ": " << to_string(event.change) << '\n';
    };
    const docent::Subscription listening = latch.listen(report);
    latch.start(); // enters the election

    const docent::Leadership lead = latch.await_leadership();
    int done = 0;
    while (lead->owns() && done < share) {
        hand_out_next(client, *lead); // a transaction, guarded by the lead
        ++done;
    }
    latch.close(docent::LatchClose::telling); // the next participant leads
    // [latch]
    return done;
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client first{{.connect_string = server.connect_string()}};
        docent::Client second{{.connect_string = server.connect_string()}};
        first.start();
        second.start();
        if (first.exists(numbers)) first.remove(numbers); // from an earlier run
        first.create(numbers, "0", {.parents = docent::Parents::persistent});

        auto other = std::async(std::launch::async, [&] { return run(second, "second"); });
        const int done = run(first, "first") + other.get();
        std::cout << "handed out " << first.get(numbers).data << '\n';
        return done == 2 * share && first.get(numbers).data == std::to_string(done) ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
