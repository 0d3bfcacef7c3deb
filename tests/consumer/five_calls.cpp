// SPDX-License-Identifier: Apache-2.0
// compile_time.sh measures this program.
#include <docent/docent.hpp>

int main() {
    docent::Client client{{.connect_string = "127.0.0.1:2181"}};
    client.start();
    client.create("/a", "data");
    docent::InterProcessMutex mutex{client, "/lock"};
    docent::Lease lease = mutex.acquire();
    client.set("/a", "more");
    lease.release();
}
