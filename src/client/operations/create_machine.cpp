// SPDX-License-Identifier: Apache-2.0
#include "client/operations/create_machine.hpp"

#include "base/doubt.hpp"
#include "base/protection.hpp"

#include <docent/path.hpp>

#include <utility>

namespace docent::detail {
CreateMachine::CreateMachine(Plan plan, RetryBudget budget, NewGuid new_guid)
    : plan_(std::move(plan)), budget_(budget), new_guid_(std::move(new_guid)) {}

CreateActions CreateMachine::start(Session session) {
    session_ = session;
    budget_.leaves_session(session.epoch); // the first try
    if (plan_.is_protected) guid_ = new_guid_();
    return send(false);
}

CreateActions CreateMachine::on_created(error_code ec, std::string path, const Stat& stat, steady_clock::time_point now,
                                        std::uint64_t random) {
    if (!ec) return {FinishCreate{{}, std::move(path), stat}};
    if (ec == server_error::no_node && parents_made_ < plan_.parent_attempts) {
        ++parents_made_;
        return send(true);
    }
    if (ec == error::not_connected) return again(ec, in_doubt_ && plan_.is_protected ? Next::find : Next::create, now, random);
    if (is_lost(ec)) {
        in_doubt_ = in_doubt_ || ec == condition::outcome_unknown;
        if (plan_.is_protected) return again(ec, Next::find, now, random);
        const bool node_gone = ec == server_error::session_expired && is_ephemeral(plan_.mode);
        if (node_gone || is_sequential(plan_.mode)) return finish(ec);
        return again(ec, Next::create, now, random);
    }
    // An earlier create of this call, whose reply was lost, may have made the node. An ephemeral node shows this by its owner.
    if (ec == server_error::node_exists && in_doubt_ && is_ephemeral(plan_.mode)) {
        found_ = node_path();
        last_error_ = ec;
        return {ReadCreated{found_}};
    }
    return finish(ec);
}

CreateActions CreateMachine::on_found(error_code ec, const std::vector<std::string>& children, steady_clock::time_point now,
                                      std::uint64_t random) {
    if (is_lost(ec)) return again(ec, Next::find, now, random);
    if (ec && ec != server_error::no_node) return finish(ec);
    in_doubt_ = false; // the list after the sync shows the outcome
    const auto found = ec ? std::vector<std::string>() : find_protected(children, guid_);
    if (found.empty()) return send(false);
    found_ = join_path(parent(), found.front());
    return {ReadCreated{found_}};
}

CreateActions CreateMachine::on_read(error_code ec, const Stat& stat, steady_clock::time_point now, std::uint64_t random,
                                     bool is_anothers) {
    if (is_lost(ec)) return again(ec, Next::read, now, random);
    if (ec == server_error::no_auth) return on_unreadable();
    const bool ours = !ec && (!is_ephemeral(plan_.mode) || (stat.ephemeral_owner == session_.id && !is_anothers));
    if (ours) return {FinishCreate{{}, found_, stat}};
    if (!guid_.empty()) return ec == server_error::no_node ? send(false) : finish(ec ? ec : server_error::session_expired);
    return finish(ec && ec != server_error::no_node ? ec : last_error_);
}

/// The node exists, but its owner may not be read. A GUID belongs to this call and this session only (see on_connected()).
CreateActions CreateMachine::on_unreadable() {
    if (guid_.empty()) return finish(server_error::connection_loss); // this call's own create may have made it
    Stat stat;
    if (is_ephemeral(plan_.mode)) stat.ephemeral_owner = session_.id;
    return {FinishCreate{{}, found_, stat}};
}

CreateActions CreateMachine::on_connected(Session session) {
    const bool new_session = std::exchange(session_, session).epoch != session.epoch;
    if (new_session && is_ephemeral(plan_.mode)) {
        in_doubt_ = false; // the earlier create belongs to the earlier session (CURATOR-498): begin again,
        if (guid_.empty()) return send(false);
        CreateActions actions{AbandonCreated{parent(), std::exchange(guid_, new_guid_())}}; // under another name
        for (CreateAction& action : send(false)) actions.push_back(std::move(action));
        return actions;
    }
    switch (next_) {
    case Next::create: return send(false);
    case Next::find: return {FindCreated{parent()}};
    case Next::read: return {ReadCreated{found_}};
    }
    return {};
}

CreateActions CreateMachine::on_abandoned(error_code ec) {
    // A create may still be under way.
    if (!guid_.empty()) return {AbandonCreated{parent(), guid_}, FinishCreate{ec}};
    return {FinishCreate{ec}};
}

CreateActions CreateMachine::send(bool with_parents) {
    next_ = Next::create;
    found_.clear();
    return {SendCreate{node_path(), with_parents}};
}

CreateActions CreateMachine::again(error_code ec, Next next, steady_clock::time_point now, std::uint64_t random) {
    next_ = next;
    last_error_ = ec;
    // A create that was not sent does not count as a try. The wait for a connection has its own limit.
    if (ec == error::not_connected) return {PauseCreate{}};
    if (ec == server_error::auth_failed) return finish(ec);
    const auto pause = budget_.next(ec, now, random);
    if (!pause) return finish(ec);
    return {PauseCreate{*pause}};
}

CreateActions CreateMachine::finish(error_code ec) {
    if (in_doubt_ && !guid_.empty()) return {AbandonCreated{parent(), guid_}, FinishCreate{ec}};
    return {FinishCreate{ec}};
}

std::string CreateMachine::node_path() const {
    return guid_.empty() ? plan_.path : protected_path(plan_.path, guid_);
}

std::string CreateMachine::parent() const {
    return std::string(parent_path(plan_.path));
}

} // namespace docent::detail
