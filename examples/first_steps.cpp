// SPDX-License-Identifier: Apache-2.0
// The program that README.md shows.
// Usage: first_steps [CONNECT_STRING]. Without an argument, the program starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <iostream>
#include <stdexcept>
#include <vector>

namespace {

const std::vector<std::string> pages{"sales", "stock"};

/// A store that refuses a smaller token than it has seen.
class Store {
public:
    void write(const std::string& page, std::int64_t token) {
        if (token < largest_token_) throw std::runtime_error("the token is old");
        largest_token_ = token;
        ++writes_;
        std::cout << "wrote " << page << " with fencing token " << token << '\n';
    }

    std::size_t writes() const { return writes_; }
    std::int64_t largest_token() const { return largest_token_; }

private:
    std::int64_t largest_token_ = -1;
    std::size_t writes_ = 0;
};

Store store;

// [readme]
void nightly_report(const std::string& servers) {
    docent::Client client{{.connect_string = servers}};
    client.start();

    docent::InterProcessMutex mutex{client, "/locks/nightly"};
    docent::Lease lease = mutex.acquire(); // waits for its turn

    for (const std::string& page : pages) {
        if (!lease.owns()) return; // the lock is lost
        store.write(page, lease.fencing_token());
    }
} // the lease releases the lock
// [readme]

} // namespace

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    nightly_report(server.connect_string());
    const std::int64_t first_token = store.largest_token();
    nightly_report(server.connect_string());
    if (store.writes() != 2 * pages.size() || store.largest_token() <= first_token) {
        std::cerr << "two runs did not write all pages with growing tokens\n";
        return 1;
    }
}
