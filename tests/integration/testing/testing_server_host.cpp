// SPDX-License-Identifier: Apache-2.0
// A program that starts a TestingServer, prints its process id, and sleeps until it is ended. With the argument `pause` its
// server is stopped by a signal meanwhile; with `cluster` it starts a TestingCluster and prints the ids of all servers.
#include <docent/testing/testing_cluster.hpp>
#include <docent/testing/testing_server.hpp>

#include <unistd.h>

#include <iostream>
#include <string_view>

namespace {

[[noreturn]] void wait_for_end() {
    std::cout << std::endl;
    for (;;) ::pause();
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view argument = argc > 1 ? argv[1] : "";
    if (argument == "cluster") {
        const docent::testing::TestingCluster cluster;
        for (std::size_t i = 0; i < cluster.size(); ++i) std::cout << cluster.server(i).pid() << ' ';
        wait_for_end();
    }
    docent::testing::TestingServer server;
    if (argument == "pause") server.pause();
    std::cout << server.pid();
    wait_for_end();
}
