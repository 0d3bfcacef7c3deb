// SPDX-License-Identifier: Apache-2.0
// A way to a server that takes its time. usage: delay_proxy SERVER_PORT ONE_WAY_MS; prints its port, and goes on until it is
// killed.

#include <docent/testing/fault_proxy.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

#include <unistd.h>

int main(int argc, char** argv) {
    using docent::testing::Direction;
    try {
        if (argc != 3) throw std::invalid_argument("usage: delay_proxy SERVER_PORT ONE_WAY_MS");
        docent::testing::FaultProxy proxy(static_cast<std::uint16_t>(std::stoi(argv[1])));
        const std::chrono::milliseconds time(std::stoi(argv[2]));
        if (time.count() > 0) {
            proxy.delay(Direction::to_server, time);
            proxy.delay(Direction::to_client, time);
        }
        std::cout << proxy.port() << std::endl;
        for (;;) ::pause();
    } catch (const std::exception& e) {
        std::cerr << "delay_proxy: " << e.what() << '\n';
        return 1;
    }
}
