// SPDX-License-Identifier: Apache-2.0
#include "fuzz_target.hpp"

#include "testing/memory/service.hpp"

#include <array>
#include <chrono>
#include <string>

using namespace docent::testing;

namespace {

class FuzzPeer : public Peer {
public:
    void send(std::string frame) override {
        constexpr std::size_t shortest_reply = 16;
        docent::fuzz::require(session == 0 || !connected || frame.size() >= shortest_reply);
        connected = session != 0;
    }
    void flush() override {}
    void cut() override { closed = true; }

    bool connected = false;
};

std::string connect_frame() {
    return JuteWriter().number(0).long_number(0).number(10'000).long_number(0).text(std::string(16, '\0')).flag(false).take();
}

/// Each node has a parent, and each ephemeral node an owner that lives.
void require_sound(const MemoryEnsemble& ensemble) {
    const auto& tree = ensemble.truth();
    for (const auto& [path, node] : tree.nodes()) {
        const auto slash = path.rfind('/');
        docent::fuzz::require(slash != std::string::npos && tree.find(slash == 0 ? "/" : path.substr(0, slash)) != nullptr);
        docent::fuzz::require(node.stat.ephemeral_owner == 0 || ensemble.is_alive(node.stat.ephemeral_owner));
    }
}

} // namespace

/// Two clients with sessions, and one without, send frames by turns. Each begins with its length in two bytes.
DOCENT_FUZZ_TARGET(memory_frame)(std::string_view input) {
    MemoryService service({.extended_types = true}, [] { return std::chrono::milliseconds{1}; });
    std::array<FuzzPeer, 3> peers;
    for (auto& peer : peers) service.add(peer);
    service.on_frame(peers[0], connect_frame());
    service.on_frame(peers[1], connect_frame());
    for (std::size_t turn = 0; input.size() > 2; ++turn) {
        const auto high = static_cast<unsigned char>(input[0]);
        const auto low = static_cast<unsigned char>(input[1]);
        const std::string_view frame = input.substr(2, high * 256U + low);
        input.remove_prefix(2 + frame.size());
        service.on_frame(peers.at(turn % peers.size()), std::string(frame));
    }
    require_sound(service.ensemble());
    for (auto& peer : peers) service.forget(peer);
}
