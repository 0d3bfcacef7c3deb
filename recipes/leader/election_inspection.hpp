// SPDX-License-Identifier: Apache-2.0
#pragma once

// The participants of an election, read from the servers.

#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "inspection/inspect_operation.hpp"
#include "leader/candidate.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace docent::detail {

struct ElectionQuestion {
    const Candidate& candidate;
    RecipeKind recipe;
    const char* name; // the operation's name
};

inline std::vector<Participant> all_of(std::vector<Participant> participants) {
    return participants;
}
inline std::optional<Participant> first_of(std::vector<Participant> participants) {
    if (participants.empty()) return std::nullopt;
    return std::move(participants.front());
}

template <typename Result>
void inspect_election(const ElectionQuestion& question, CallOptions call, Handler<Result> handler,
                      Result (*pick)(std::vector<Participant>)) {
    const std::string& path = question.candidate.path();
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<Result> done) {
        return std::make_shared<InspectOperation>(
            view, path, nullptr, [done = std::move(done), pick, recipe = question.recipe](error_code ec, Inspection found) {
                if (ec == server_error::no_node) ec = {}; // no participant has entered yet
                std::erase_if(found.participants, [recipe](const Participant& each) { return each.recipe != recipe; });
                for (const Participant& each : found.participants) {
                    if (!each.readable) ec = server_error::no_auth; // its id is unknown
                }
                done(ec, pick(std::move(found.participants)));
            });
    };
    launch<Result>(question.candidate.view(), {question.name, path}, std::move(call), std::move(handler), make);
}

template <typename Core>
std::vector<Participant> block_on_participants(const std::shared_ptr<Core>& core, CallOptions call, error_code& ec) {
    using All = std::vector<Participant>;
    return block_on<All>(*core->view(), std::move(call), ec, [&core](CallOptions options, Handler<All> handler) {
        initiate_participants(core, std::move(options), std::move(handler));
    });
}
template <typename Core> std::vector<Participant> block_on_participants(const std::shared_ptr<Core>& core, CallOptions call) {
    return throwing("read the participants at", core->path(),
                    [&](error_code& ec) { return block_on_participants(core, std::move(call), ec); });
}

template <typename Core>
std::optional<Participant> block_on_leader(const std::shared_ptr<Core>& core, CallOptions call, error_code& ec) {
    using First = std::optional<Participant>;
    return block_on<First>(*core->view(), std::move(call), ec, [&core](CallOptions options, Handler<First> handler) {
        initiate_leader(core, std::move(options), std::move(handler));
    });
}
template <typename Core> std::optional<Participant> block_on_leader(const std::shared_ptr<Core>& core, CallOptions call) {
    return throwing("read the leader at", core->path(),
                    [&](error_code& ec) { return block_on_leader(core, std::move(call), ec); });
}

} // namespace docent::detail
