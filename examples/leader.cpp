// SPDX-License-Identifier: Apache-2.0
// Two machines of which one leads: it hands out numbers until it has had its share, and lets the other one lead.
// docs/recipes/leader_latch.md shows it. Usage: leader [CONNECT_STRING]; without one it starts a server of its own.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <future>
#include <iostream>
#include <string>

constexpr int share = 5;
constexpr auto numbers = "/examples/leader/numbers";

/// The next number, which only a leader can hand out: the server refuses one who leads no more.
void hand_out_next(docent::Client& client, const docent::Lease& lead) {
    const docent::NodeData last = client.get(numbers);
    docent::Transaction next;
    next.guard(lead).set_data(numbers, std::to_string(std::stoi(last.data) + 1), last.stat.version);
    client.commit(next.exactly_once());
}

/// What one of the machines does.
int run(docent::Client& client, const std::string& name) {
    // [latch]
    docent::LeaderLatch latch{client, "/examples/leader", {.id = name}};
    const docent::Subscription listening = latch.listen([name](const docent::LeadershipEvent& event) {
        std::cout << name + ": " + std::string(to_string(event.change)) + "\n"; // on the client's executor
    });
    latch.start(); // takes part from now on, whatever happens to the connection

    const docent::Leadership lead = latch.await_leadership();
    int done = 0;
    while (lead->owns() && done < share) {
        hand_out_next(client, *lead); // a transaction, guarded by the lead
        ++done;
    }
    latch.close(docent::LatchClose::telling); // the next one leads
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
        if (first.exists(numbers)) first.remove(numbers); // of an earlier run
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
