// SPDX-License-Identifier: Apache-2.0
// A user's program: a client, a lock, a lease, and a server for its tests.
#include <docent/docent.hpp>
#include <docent/testing/testing_server.hpp>

#include <iostream>
#include <mutex>

int main() {
    const docent::testing::TestingServer server;
    docent::Client client{{.connect_string = server.connect_string()}};
    client.start();
    client.create("/consumer", "data",
                  {.if_exists = docent::IfExists::accept_same}); // accepts its own node after a lost reply, too
    docent::InterProcessMutex mutex{client, "/consumer/lock"};
    { const std::scoped_lock hold{mutex}; }
    docent::Lease lease = mutex.acquire();
    const bool held = lease.owns() && lease.fencing_token() > 0 && client.get("/consumer").data == "data";
    lease.release();
    std::cout << (held ? "consumer: works with an installed docent\n" : "consumer: the lease was not held\n");
    return held ? 0 : 1;
}
