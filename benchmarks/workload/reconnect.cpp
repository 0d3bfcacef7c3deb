// SPDX-License-Identifier: Apache-2.0
#include "handshake_tap.hpp" // of tests/support
#include "works.hpp"

#include <docent/client.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>

using std::chrono::steady_clock;

/// Breaks the connection again and again, and looks at the hello of the server on the next one.
void run_reconnect(const Options& options) {
    const int n = options.number("n");
    docent::ClientConfig config = client_config(options);
    if (!config.tls) throw std::invalid_argument("reconnect needs --tls-ca");
    const std::string& server = options.text("connect");
    docent::test::HandshakeTap tap(static_cast<std::uint16_t>(std::stoi(server.substr(server.rfind(':') + 1))));
    config.connect_string = tap.connect_string();
    config.ensemble_tracking = docent::EnsembleTracking::off; // otherwise it may leave the tap
    docent::Client client{config};
    client.start();
    client.exists("/zookeeper"); // before this answer, the server sends the ticket to resume the TLS session
    const auto end = steady_clock::now() + std::chrono::minutes{1};
    for (int i = 0; i < n; ++i) {
        tap.cut();
        docent::error_code lost;
        do {
            if (steady_clock::now() > end) throw std::runtime_error("the client does not connect again");
            client.exists("/zookeeper", lost);
        } while (lost);
    }
    const auto all = tap.beginnings();
    const auto resumed = std::count_if(all.begin() + 1, all.end(), [](const auto& each) { return each.resumes(); });
    std::cout << "peer=docent work=reconnect reconnects=" << all.size() - 1 << " resumed=" << resumed << std::endl;
}
