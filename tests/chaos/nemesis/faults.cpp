// SPDX-License-Identifier: Apache-2.0
#include "nemesis/nemesis.hpp"
#include "nemesis/session_closer.hpp"

#include <array>
#include <utility>

#include <signal.h>

namespace docent::chaos {

using namespace std::chrono_literals;
using testing::Direction;
using testing::FaultProxy;
using testing::Opcode;

namespace {

std::string client_name(std::size_t place) {
    return "client-" + std::to_string(place);
}

std::string ways_of(std::size_t place) {
    return "ways-of-" + client_name(place);
}

std::string server_name(std::size_t server) {
    return "server-" + std::to_string(server);
}

} // namespace

std::optional<std::size_t> Nemesis::some_worker() {
    const std::size_t place = below(ground_.workers());
    return is_struck(client_name(place)) ? std::nullopt : std::optional(place);
}

/// Draws a server, often the leader. Draws none while a server or a link has a fault.
std::optional<std::size_t> Nemesis::some_server() {
    if (!servers_are_well()) return std::nullopt;
    const bool leads = chance(0.5);
    const std::size_t drawn = below(ground_.cluster().size());
    return leads ? ground_.cluster().leader().value_or(drawn) : drawn;
}

void Nemesis::kill_client(const std::string& kind) {
    const auto place = some_worker();
    if (!place) return;
    const std::string name = ground_.worker(*place).name();
    begin(kind, client_name(*place), between(0ms, 3s), [this, place] { ground_.start_worker(*place); });
    ground_.worker(*place).send(SIGKILL);
}

void Nemesis::stop_client(const std::string& kind) {
    const auto place = some_worker();
    if (!place) return;
    const auto length = kind == "client-stop" ? between(4s, 9s) : between(100ms, 2500ms);
    begin(kind, client_name(*place), length, [this, place] { ground_.worker(*place).send(SIGCONT); });
    ground_.worker(*place).send(SIGSTOP);
}

void Nemesis::renew_session(const std::string& kind) {
    const auto place = some_worker();
    if (!place || ground_.is_curator(*place)) return;
    note(kind, client_name(*place));
    ground_.worker(*place).say("renew");
}

/// Also ends the session of a worker that is stopped or cut off.
void Nemesis::close_session(const std::string& kind) {
    const std::size_t place = below(ground_.workers());
    const std::size_t server = below(ground_.cluster().size());
    const auto session = ground_.session_of(place);
    if (!session || is_struck(server_name(server))) return;
    journal_.add("closing " + std::to_string(*session));
    if (chaos::close_session(ground_.cluster().server(server).port(), *session)) note(kind, client_name(place));
}

/// Disturbs one or all of a worker's connections to servers.
void Nemesis::trouble_way(const std::string& kind) {
    const std::size_t place = below(ground_.workers());
    const std::string target = ways_of(place);
    if (is_struck(target)) return;
    std::vector<FaultProxy*> ways;
    if (chance(0.5)) each_way(place, [&](FaultProxy& way) { ways.push_back(&way); });
    else ways.push_back(&ground_.way(place, below(ground_.cluster().size())));
    const bool cuts = chance(0.5); // bytes that were held back are lost; otherwise they arrive late
    const auto length = between(50ms, kind == "way-delay" ? 6000ms : 5000ms);
    const auto late = between(1ms, 400ms);
    begin(kind, target, length, [ways, cuts] {
        for (FaultProxy* way : ways) {
            if (cuts) way->cut();
            way->heal();
        }
    });
    for (FaultProxy* way : ways) {
        if (kind == "way-black-hole") way->black_hole();
        else if (kind == "way-replies") way->black_hole(Direction::to_client);
        else if (kind == "way-requests") way->black_hole(Direction::to_server);
        else if (kind == "way-refuse") way->refuse();
        else {
            way->delay(Direction::to_client, late);
            way->delay(Direction::to_server, late);
        }
    }
}

void Nemesis::each_way(std::size_t place, const std::function<void(FaultProxy&)>& change) {
    for (std::size_t server = 0; server < ground_.cluster().size(); ++server) change(ground_.way(place, server));
}

void Nemesis::cut_way(const std::string& kind) {
    static constexpr std::array opcodes{Opcode::create2,   Opcode::remove, Opcode::exists,      Opcode::get,
                                        Opcode::children2, Opcode::sync,   Opcode::set_watches, Opcode::multi};
    const std::size_t place = below(ground_.workers());
    const Opcode opcode = opcodes[below(opcodes.size())];
    const std::string request = " " + std::to_string(static_cast<int>(opcode));
    note(kind, ways_of(place) + (kind == "way-cut" ? "" : request));
    each_way(place, [&](FaultProxy& way) {
        if (kind == "way-cut") way.cut();
        else if (kind == "way-cut-request") way.cut_before_request(opcode);
        else if (kind == "way-cut-reply") way.cut_before_reply(opcode);
        else way.cut_after_bytes(chance(0.5) ? Direction::to_client : Direction::to_server, 1 + below(500));
    });
}

void Nemesis::kill_server(const std::string& kind) {
    const auto server = some_server();
    if (!server) return;
    begin(kind, server_name(*server), between(0ms, 6s), [this, server] { ground_.cluster().server(*server).start(); });
    ground_.cluster().server(*server).kill();
}

void Nemesis::kill_two_servers(const std::string& kind) {
    const auto first = some_server();
    if (!first) return;
    const std::size_t second = (*first + 1 + below(2)) % ground_.cluster().size();
    for (const std::size_t server : {*first, second}) {
        begin(kind, server_name(server), between(0ms, 4s), [this, server] { ground_.cluster().server(server).start(); });
        ground_.cluster().server(server).kill();
    }
}

void Nemesis::pause_server(const std::string& kind) {
    const auto server = some_server();
    if (!server) return;
    begin(kind, server_name(*server), between(100ms, 9s), [this, server] { ground_.cluster().server(*server).resume(); });
    ground_.cluster().server(*server).pause();
}

void Nemesis::restart_server(const std::string& kind) {
    const auto server = some_server();
    if (!server) return;
    note(kind, server_name(*server));
    ground_.cluster().server(*server).restart();
}

/// Wipes a server only if no acknowledged write is lost: the other two servers run, and accept a write together.
void Nemesis::wipe_server(const std::string& kind) {
    const auto leader = ground_.cluster().leader();
    if (!servers_are_well() || !leader) return;
    const std::size_t server = (*leader + 1 + below(2)) % ground_.cluster().size();
    ground_.cluster().wait_for_quorum();
    ground_.cluster().server(server).kill();
    if (ground_.observer().has_quorum()) {
        note(kind, server_name(server));
        ground_.wipe(server);
    }
    ground_.cluster().server(server).start();
    ground_.cluster().wait_for_quorum();
}

void Nemesis::cut_link(const std::string& kind) {
    const auto leader = ground_.cluster().leader();
    if (!servers_are_well() || !leader) return;
    const std::size_t follower = (*leader + 1 + below(2)) % ground_.cluster().size();
    FaultProxy& link = ground_.link(follower, *leader);
    const double way = std::uniform_real_distribution<>(0, 1)(random_);
    const bool late = chance(0.3); // bytes that were held back arrive
    begin(kind, "link-" + std::to_string(follower) + '-' + std::to_string(*leader), between(100ms, 9s), [&link, late] {
        if (!late) link.cut();
        link.heal();
    });
    if (way < 0.6) link.black_hole();
    else link.black_hole(way < 0.8 ? Direction::to_client : Direction::to_server);
}

void Nemesis::delete_node(const std::string& kind) {
    const std::string node = ground_.observer().some_node(random_);
    if (!node.empty() && ground_.observer().delete_node(node)) note(kind, node);
}

/// The owner receives no replies and events, but its requests arrive.
void Nemesis::delete_node_unheard(const std::string& kind) {
    const std::string node = ground_.observer().some_node(random_);
    const auto owner = node.empty() ? std::nullopt : ground_.observer().owner_of(node);
    std::size_t place = 0;
    while (place < ground_.workers() && (!owner || ground_.session_of(place) != owner)) ++place;
    if (place == ground_.workers()) return;
    const std::string target = ways_of(place);
    if (is_struck(target)) return;
    const auto heal = [this, place] { each_way(place, [](FaultProxy& way) { way.heal(); }); };
    begin(kind, target, between(100ms, 3s), heal);
    each_way(place, [](FaultProxy& way) { way.black_hole(Direction::to_client); });
    ground_.observer().delete_node(node);
}

} // namespace docent::chaos
