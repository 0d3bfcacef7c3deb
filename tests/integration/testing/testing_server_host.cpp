// SPDX-License-Identifier: Apache-2.0
// A program that uses a TestingServer and waits for its own end: prints the server's process id and sleeps. With the argument
// `pause` its server is stopped by a signal meanwhile.
#include <docent/testing/testing_server.hpp>

#include <unistd.h>

#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
    docent::testing::TestingServer server;
    if (argc > 1 && std::string_view(argv[1]) == "pause") server.pause();
    std::cout << server.pid() << std::endl;
    for (;;) ::pause();
}
