// SPDX-License-Identifier: Apache-2.0
// Several changes that are applied together or not at all: the code of docs/client/transaction.md.
// Usage: transactions [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <iostream>
#include <stdexcept>
#include <string>

void expect(bool holds, const char* claim) {
    if (!holds) throw std::logic_error(claim);
}

void pay(docent::Client& client) {
    client.create("/bank", "", {.if_exists = docent::IfExists::accept});
    const auto version = client.create("/bank/ann", "100").stat.version;
    client.create("/bank/bob", "100");
    docent::InterProcessMutex mutex{client, "/bank-lock"};
    const docent::Lease lease = mutex.acquire();
    // [transaction]
    docent::Transaction payment;
    payment.guard(lease);                         // refused if the lock is gone
    payment.set_data("/bank/ann", "60", version); // refused if it has changed
    payment.set_data("/bank/bob", "140");
    payment.create("/bank/log-", "40", docent::CreateMode::persistent_sequential);
    docent::TransactionResult done = client.commit(payment);
    std::cout << done.operations[2].result_path << '\n'; // /bank/log-0000000002
    // [transaction]
    expect(client.get("/bank/bob").data == "140" && done.fencing_token > lease.fencing_token(), "it was applied");

    std::size_t failed = 9;
    // [rejected]
    try {
        client.commit(payment); // the same version again
    } catch (const docent::TransactionError& failure) {
        failed = failure.result().failed_operation.value();
        std::cout << failure.what() << '\n';
    }
    // [rejected]
    expect(failed == 0, "the first operation was refused");
    expect(client.children("/bank").names.size() == 3, "nothing was applied");
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client client{{.connect_string = server.connect_string(), .name_space = "examples/transactions"}};
        client.start();
        pay(client);
        client.remove("/bank", {.children = docent::RemoveChildren::yes});
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
