// SPDX-License-Identifier: Apache-2.0
// Several clients move money between two of three accounts, and list the accounts in any order: the code that
// docs/recipes/inter_process_multi_lock.md shows. The sum never changes, and no client waits for ever. Usage: transfer
// [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <cstdlib>
#include <future>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace std::chrono_literals;

constexpr int clients = 4;
constexpr int transfers = 25;
constexpr int at_first = 100;

const std::vector<std::string> accounts = {"ann", "bob", "cem"};

std::string node_of(const std::string& account) {
    return "/examples/transfer/accounts/" + account;
}
std::string lock_of(const std::string& account) {
    return "/examples/transfer/locks/" + account;
}
int balance(docent::Client& client, const std::string& account) {
    return std::stoi(client.get(node_of(account)).data);
}

struct Transfer {
    std::string from;
    std::string to;
    int amount;
};

// [transfer]
void transfer(docent::Client& client, const Transfer& wish) {
    const auto& [from, to, amount] = wish;
    docent::InterProcessMultiLock both{client, {lock_of(from), lock_of(to)}};
    const docent::MultiLease lease = both.acquire(); // in any order

    const int left = balance(client, from) - amount;
    if (left < 0) return;
    docent::Transaction tx;
    for (const docent::Lease& each : lease.leases()) tx.guard(each);
    tx.set_data(node_of(from), std::to_string(left));
    tx.set_data(node_of(to), std::to_string(balance(client, to) + amount));
    client.commit(tx); // fails if one of the locks is gone
} // both are released here
// [transfer]

void audit(docent::Client& client) {
    int sum = 0;
    // [members]
    docent::InterProcessReadWriteLock rates{client, "/examples/transfer/rates"};
    docent::InterProcessMutex ann{client, lock_of("ann")};
    docent::InterProcessMutex bob{client, lock_of("bob")};
    docent::InterProcessMutex cem{client, lock_of("cem")};
    docent::InterProcessMultiLock all{{ann, bob, cem, rates.read_lock()}};

    if (auto lease = all.try_acquire_for(30s)) { // 30 seconds for all locks
        for (const auto& account : accounts) sum += balance(client, account);
        if (lease->stop_token().stop_requested()) return; // a lock was lost
        lease->release();                                 // waits for the servers
    }
    // [members]
    if (sum != at_first * static_cast<int>(accounts.size())) throw std::runtime_error("the sum is " + std::to_string(sum));
}

void show_failures(docent::Client& client) {
    const docent::Lease taken = docent::InterProcessMutex{client, lock_of("bob")}.acquire();
    docent::InterProcessMultiLock all{client, {lock_of("ann"), lock_of("bob")}};
    std::size_t failures = 0;
    // [failures]
    docent::error_code ec;
    const docent::MultiLease none = all.acquire(ec, {.timeout = 50ms});
    for (const docent::LockFailure& failure : none.failures()) {
        std::cout << failure.path << ": " << failure.ec.message() << '\n';
        ++failures;
    }
    // [failures]
    // On a busy machine the free lock of ann may be late as well.
    if (failures == 0 || none.failures().back().path != lock_of("bob") || ec != docent::error::not_acquired) {
        throw std::runtime_error("bob's lock is taken");
    }
}

void transfer_often(const std::string& servers, unsigned seed) {
    docent::Client client{{.connect_string = servers}}; // a separate session, as in a separate process
    client.start();
    std::mt19937 random(seed);
    for (int i = 0; i < transfers; ++i) {
        const auto from = random() % accounts.size();
        const auto to = (from + 1 + random() % (accounts.size() - 1)) % accounts.size();
        transfer(client, {accounts[from], accounts[to], static_cast<int>(random() % 50)});
        audit(client);
    }
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        const auto money = std::to_string(at_first);
        const docent::CreateOptions create{.parents = docent::Parents::persistent, .if_exists = docent::IfExists::set_data};
        for (const auto& account : accounts) client.create(node_of(account), money, create);
        std::vector<std::future<void>> all;
        for (unsigned i = 0; i < clients; ++i) {
            all.push_back(std::async(std::launch::async, transfer_often, server.connect_string(), i));
        }
        for (auto& one : all) one.get();
        show_failures(client);
        std::cout << clients * transfers << " transfers, and as many audits that found every coin\n";
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
