// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/exit_code.hpp"
#include "cli/local/demo_loss.hpp"
#include "cli/local/demo_turns.hpp"
#include "cli/local/descriptors.hpp"
#include "cli/local/stop_on_signal.hpp"
#include "cli/messages.hpp"
#include "posix/descriptor_reserve.hpp"

#include <docent/error.hpp>
#include <docent/testing/testing_server.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <string>
#include <string_view>

#include <errno.h> // program_invocation_name

namespace docent::cli {
namespace {

/// How to call docent from the user's shell, also if it is not on PATH.
std::string called_as() {
    std::string name = program_invocation_name;
    const auto is_plain = [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view("/._+-").find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (name.find('/') == std::string::npos) return "docent";
    if (std::all_of(name.begin(), name.end(), is_plain)) return name;
    std::string quoted = "'";
    for (const char c : name) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string try_next() {
    const std::string docent = "  " + called_as();
    return "\nTry next:\n" + docent + " server &\n" + docent +
           R"( lock /nightly -- sh -c 'echo "mine, with fencing token $DOCENT_FENCING_TOKEN"; sleep 5')" + "\n" + docent +
           " lock /nightly --no-wait -- echo mine    # meanwhile, in another terminal: exits 75\n" + docent + " ls /nightly\n";
}

std::string seconds(std::chrono::milliseconds time) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f s", static_cast<double>(time.count()) / 1000);
    return text.data();
}

/// Checks the demo's claims. Returns the fault, or an empty text.
std::string find_fault(const TurnsResult& turns, const LossResult& loss) {
    constexpr int expected = demo_clients * demo_turns_each;
    if (turns.turns != expected) return "not every turn was taken";
    if (turns.overlaps != 0) return "two clients were inside at once";
    if (turns.counter != expected) return "an increment was lost";
    if (!turns.tokens_grew || loss.next_token <= loss.lost_token) return "a fencing token did not grow";
    if (loss.told >= loss.granted) return "the next client held the lock before the lost holder was told";
    return {};
}

void print_loss(const LossResult& loss) {
    print("  after " + seconds(loss.told) + "  the holder (fencing token " + std::to_string(loss.lost_token) +
          ") was told that it lost the lock\n");
    print("  after " + seconds(loss.granted) + "  the client that waited got it, with fencing token " +
          std::to_string(loss.next_token) + "\n");
}

int run_demo(const std::stop_token& stop) {
    posix::require_descriptors(descriptors_of_a_server);
    print("Starting a ZooKeeper for the demo... ");
    docent::testing::TestingServer server;
    print("it listens on " + server.connect_string() + ".\n\n");

    print("Four clients increment a counter, five times each, under one lock: read it, pause, write it back plus one.\n");
    const TurnsResult turns = take_turns(server.connect_string(), stop);
    if (stop.stop_requested()) return exit_code::failure;

    print("\nNow a holder's network goes silent, while another client waits for its lock (session timeout 2 s).\n");
    const LossResult loss = lose_a_holder(server.port(), stop);
    print_loss(loss);

    if (const auto fault = find_fault(turns, loss); !fault.empty()) {
        print_error("demo: " + fault);
        return exit_code::failure;
    }
    print("\nProved: " + std::to_string(turns.turns) + " turns, " + std::to_string(turns.overlaps) +
          " overlaps, the counter says " + std::to_string(turns.counter) + "; the fencing tokens grew with every holder;\n" +
          "the cut-off holder knew of its loss " + seconds(loss.granted - loss.told) + " before the next one held the lock.\n" +
          try_next());
    return exit_code::success;
}

} // namespace

int run(const DemoCommand&) {
    StopOnSignal signals{SIGINT, SIGTERM, SIGHUP};
    const auto result = [&] {
        try {
            return run_demo(signals.token());
        } catch (const Error& e) {
            if (signals.received() == 0) print_error(std::string("demo: ") + e.what());
            return exit_code::failure;
        }
    }();
    return signals.received() != 0 ? exit_code::by_signal(signals.received()) : result;
}

} // namespace docent::cli
