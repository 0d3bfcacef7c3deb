// SPDX-License-Identifier: Apache-2.0

// The answers of MemoryService to each kind of request.

#include "testing/memory/service.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace docent::testing {
namespace {

/// The numbers of requests that FaultProxy has no rules for.
enum : std::int32_t {
    op_check_watches = 17,
    op_ephemerals = 103,
    op_all_children_number = 104,
    op_add_watch = 106,
    op_who_am_i = 107,
    op_error = -1,
};

constexpr std::int32_t number_of(Opcode opcode) {
    return static_cast<std::int32_t>(opcode);
}

/// A real server promises no order of children. These come in the order of a hash.
std::uint64_t hash(const std::string& name) {
    std::uint64_t value = 0xcbf2'9ce4'8422'2325;
    for (const char byte : name) value = (value ^ static_cast<unsigned char>(byte)) * 0x100'0000'01b3;
    return value ^ value >> 29U;
}

std::vector<std::string> in_hash_order(std::vector<std::string> names) {
    std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
        return std::pair(hash(a), std::string_view(a)) < std::pair(hash(b), std::string_view(b));
    });
    return names;
}

/// Fields are read in the order of the frame.
zk::SetRequest read_set(JuteReader& reader) {
    zk::SetRequest request;
    request.path = reader.text();
    request.data = reader.text();
    request.version = reader.number();
    return request;
}

template <typename T> T read_versioned(JuteReader& reader) {
    T request;
    request.path = reader.text();
    request.version = reader.number();
    return request;
}

/// The reply of a create without metadata has the path only.
void write_created(JuteWriter& writer, std::int32_t opcode, const std::string& path, const Stat& stat) {
    writer.text(path);
    if (opcode != number_of(Opcode::create)) writer.stat(stat);
}

/// Returns the types of watches that a request to remove watches means.
std::vector<WatchType> types_of(std::int32_t type) {
    switch (type) {
    case 1: return {WatchType::children};
    case 2: return {WatchType::data};
    case 4: return {WatchType::persistent};
    case 5: return {WatchType::recursive};
    default: return {WatchType::children, WatchType::data, WatchType::persistent, WatchType::recursive};
    }
}

} // namespace

std::optional<zk::CreateRequest> read_create(std::int32_t opcode, JuteReader& reader) {
    constexpr std::array modes{CreateMode::persistent,
                               CreateMode::ephemeral,
                               CreateMode::persistent_sequential,
                               CreateMode::ephemeral_sequential,
                               CreateMode::container,
                               CreateMode::persistent_with_ttl,
                               CreateMode::persistent_sequential_with_ttl};
    zk::CreateRequest request;
    request.path = reader.text();
    request.data = reader.text();
    request.acl = reader.acl();
    const std::int32_t mode = reader.number();
    if (opcode == number_of(Opcode::create_ttl)) request.ttl = std::chrono::milliseconds{reader.long_number()};
    if (mode < 0 || mode >= static_cast<std::int32_t>(modes.size())) return std::nullopt;
    request.mode = modes.at(static_cast<std::size_t>(mode));
    return request;
}

std::optional<std::vector<zk::MultiOperation>> read_operations(JuteReader& reader, std::vector<std::int32_t>& opcodes) {
    std::vector<zk::MultiOperation> operations;
    while (reader.ok()) {
        const std::int32_t opcode = reader.number();
        const bool end = reader.flag();
        reader.number(); // an error, in replies
        if (!reader.ok()) return std::nullopt;
        if (end) return operations;
        opcodes.push_back(opcode);
        if (is_of_kind(opcode, Opcode::create)) {
            auto create = read_create(opcode, reader);
            if (!create) return std::nullopt;
            operations.emplace_back(std::move(*create));
        } else if (is_of_kind(opcode, Opcode::remove)) {
            operations.emplace_back(read_versioned<zk::RemoveRequest>(reader));
        } else if (is_of_kind(opcode, Opcode::set)) {
            operations.emplace_back(read_set(reader));
        } else if (is_of_kind(opcode, Opcode::check)) {
            operations.emplace_back(read_versioned<zk::CheckRequest>(reader));
        } else {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

void MemoryService::answer(Peer& peer, std::int32_t xid, std::int32_t opcode, JuteReader& reader) {
    switch (opcode) {
    case number_of(Opcode::create):
    case number_of(Opcode::create2):
    case number_of(Opcode::create_container):
    case number_of(Opcode::create_ttl): return answer_create(peer, xid, opcode, reader);
    case number_of(Opcode::get):
    case number_of(Opcode::exists):
    case number_of(Opcode::children):
    case number_of(Opcode::children2):
    case number_of(Opcode::get_acl):
    case op_all_children_number: return answer_read(peer, xid, opcode, reader);
    case number_of(Opcode::multi): return answer_multi(peer, xid, reader);
    case number_of(Opcode::auth): return answer_auth(peer, xid, reader);
    case number_of(Opcode::set_watches):
    case op_set_watches2: return restore_watches(peer, xid, opcode, reader);
    case number_of(Opcode::remove_watches):
    case op_check_watches:
    case op_add_watch: return answer_watches(peer, xid, opcode, reader);
    case op_ephemerals: return answer_ephemerals(peer, xid, reader);
    case number_of(Opcode::close_session): return answer_close(peer, xid);
    case number_of(Opcode::ping): return reply(peer, xid, {});
    case number_of(Opcode::reconfig): return reply(peer, xid, server_error::reconfig_disabled);
    case number_of(Opcode::remove): {
        const auto request = read_versioned<zk::RemoveRequest>(reader);
        if (!reader.ok()) return refuse_body(peer, xid);
        return reply(peer, xid, write(peer, request).ec);
    }
    case number_of(Opcode::set): {
        const auto request = read_set(reader);
        if (!reader.ok()) return refuse_body(peer, xid);
        const auto written = write(peer, request);
        return reply(peer, xid, written.ec, JuteWriter().stat(written.stat).take());
    }
    case number_of(Opcode::set_acl): {
        zk::SetAclRequest request{.path = reader.text(), .acl = reader.acl(), .version = reader.number()};
        if (!reader.ok()) return refuse_body(peer, xid);
        const auto written = write(peer, request);
        return reply(peer, xid, written.ec, JuteWriter().stat(written.stat).take());
    }
    case number_of(Opcode::sync): {
        const std::string path = reader.text();
        if (!reader.ok()) return refuse_body(peer, xid);
        return reply(peer, xid, write(peer, zk::SyncRequest{path}).ec, JuteWriter().text(path).take());
    }
    case op_who_am_i: {
        JuteWriter writer;
        writer.number(static_cast<std::int32_t>(peer.identities.size()));
        for (const auto& each : peer.identities) writer.text(each.scheme).text(each.id.substr(0, each.id.find(':')));
        return reply(peer, xid, {}, writer.take());
    }
    default: reply(peer, xid, server_error::unimplemented); return peer.cut();
    }
}

/// The reply to a request whose body ends too early, or has values that do not exist.
void MemoryService::refuse_body(Peer& peer, std::int32_t xid) {
    reply(peer, xid, server_error::marshalling_error);
}

zk::Reply MemoryService::write(Peer& peer, const zk::Request& request) {
    return ensemble_.write(peer.server, peer.session, peer.identities, request, now_());
}

void MemoryService::answer_create(Peer& peer, std::int32_t xid, std::int32_t opcode, JuteReader& reader) {
    const auto request = read_create(opcode, reader);
    if (!reader.ok()) return refuse_body(peer, xid);
    if (!request) return reply(peer, xid, server_error::bad_arguments);
    const auto written = write(peer, *request);
    JuteWriter writer;
    write_created(writer, opcode, written.path, written.stat);
    reply(peer, xid, written.ec, writer.take());
}

void MemoryService::answer_read(Peer& peer, std::int32_t xid, std::int32_t opcode, JuteReader& reader) {
    const std::string path = reader.text();
    const bool acl = is_of_kind(opcode, Opcode::get_acl);
    const bool count = opcode == op_all_children_number;
    const bool watch = !acl && !count && reader.flag();
    if (!reader.ok()) return refuse_body(peer, xid);
    const bool list = is_of_kind(opcode, Opcode::children);
    const bool exists = is_of_kind(opcode, Opcode::exists);
    const zk::Request request = acl             ? zk::Request(zk::GetAclRequest{path})
                                : list || count ? zk::Request(zk::ChildrenRequest{path})
                                : exists        ? zk::Request(zk::ExistsRequest{path})
                                                : zk::Request(zk::GetRequest{path});
    auto found = ensemble_.read(peer.server, request, peer.identities);
    if (watch && (!found.ec || (exists && found.ec == server_error::no_node)))
        watches_.at(peer.server).add(peer, path, list ? WatchType::children : WatchType::data);
    JuteWriter writer;
    if (count && !found.ec) {
        const auto& nodes = ensemble_.seen_by(peer.server).nodes();
        const std::string prefix = path == "/" ? path : path + "/";
        const auto below = std::count_if(nodes.upper_bound(prefix), nodes.end(),
                                         [&](const auto& each) { return each.first.starts_with(prefix); });
        writer.number(static_cast<std::int32_t>(below));
        return reply(peer, xid, {}, writer.take());
    }
    if (acl) writer.acl(found.acl);
    if (list) writer.texts(in_hash_order(std::move(found.children)));
    if (is_of_kind(opcode, Opcode::get)) writer.text(found.data);
    if (opcode != number_of(Opcode::children)) writer.stat(found.stat);
    reply(peer, xid, found.ec, writer.take());
}

/// As in ZooKeeper, the reply of a failed transaction is a success with an error for each operation.
void MemoryService::answer_multi(Peer& peer, std::int32_t xid, JuteReader& reader) {
    std::vector<std::int32_t> opcodes;
    auto operations = read_operations(reader, opcodes);
    if (!operations) return refuse_body(peer, xid);
    const auto written = write(peer, zk::MultiRequest{std::move(*operations)});
    if (written.ec && written.results.empty()) return reply(peer, xid, written.ec);
    JuteWriter writer;
    for (std::size_t i = 0; i < written.results.size(); ++i) {
        const auto& result = written.results[i];
        if (written.ec) {
            writer.number(op_error).flag(false).number(result.ec.value()).number(result.ec.value());
            continue;
        }
        const bool create = is_of_kind(opcodes[i], Opcode::create);
        const bool plain = opcodes[i] == number_of(Opcode::create);
        writer.number(create && !plain ? number_of(Opcode::create2) : opcodes[i]).flag(false).number(0);
        if (create) write_created(writer, opcodes[i], result.path, result.stat.value_or(Stat{}));
        else if (result.stat) writer.stat(*result.stat);
    }
    writer.number(-1).flag(true).number(-1);
    reply(peer, xid, {}, writer.take());
}

void MemoryService::answer_auth(Peer& peer, std::int32_t xid, JuteReader& reader) {
    reader.number(); // not used
    const std::string scheme = reader.text();
    const std::string credentials = reader.text();
    if (!reader.ok()) return peer.cut();
    if (scheme == "digest") {
        auto identity = detail::digest_identity(credentials);
        auto& known = peer.identities;
        if (std::find(known.begin(), known.end(), identity) == known.end()) known.push_back(std::move(identity));
    } else if (scheme != "ip") { // each client has the identity of its address
        reply(peer, xid, server_error::auth_failed);
        return peer.cut();
    }
    reply(peer, xid, {});
}

void MemoryService::answer_watches(Peer& peer, std::int32_t xid, std::int32_t opcode, JuteReader& reader) {
    const std::string path = reader.text();
    const std::int32_t type = reader.number();
    if (!reader.ok()) return refuse_body(peer, xid);
    Watches& watches = watches_.at(peer.server);
    if (opcode == op_add_watch) {
        if (type != 0 && type != 1) return refuse_body(peer, xid);
        watches.add(peer, path, type == 1 ? WatchType::recursive : WatchType::persistent);
        return reply(peer, xid, {}, JuteWriter().number(0).take());
    }
    bool found = false;
    for (const WatchType each : types_of(type)) {
        const bool has = opcode == op_check_watches ? watches.contains(peer, path, each) : watches.remove(peer, path, each);
        found = found || has;
    }
    reply(peer, xid, found ? error_code{} : make_error_code(server_error::no_watcher));
}

/// A client that has reconnected names its watches. The server reports the changes after the last transaction that the client
/// has seen.
void MemoryService::restore_watches(Peer& peer, std::int32_t xid, std::int32_t opcode, JuteReader& reader) {
    const std::int64_t seen = reader.long_number();
    const auto data = reader.texts();
    const auto exists = reader.texts();
    const auto children = reader.texts();
    const bool second_form = opcode == op_set_watches2;
    const auto persistent = second_form ? reader.texts() : std::vector<std::string>{};
    const auto recursive = second_form ? reader.texts() : std::vector<std::string>{};
    if (!reader.ok()) return refuse_body(peer, xid);
    const detail::NodeTree& tree = ensemble_.seen_by(peer.server);
    Watches& watches = watches_.at(peer.server);
    const auto tell = [&](const std::string& path, WatchEventType type) {
        const detail::TreeNode* const node = tree.find(path);
        if (node == nullptr || detail::allows(node->acl, Permission::read, peer.identities)) send_event(peer, path, type);
    };
    for (const auto& path : data) {
        const detail::TreeNode* const node = tree.find(path);
        if (node == nullptr) tell(path, WatchEventType::deleted);
        else if (node->stat.mzxid > seen) tell(path, WatchEventType::data_changed);
        else watches.add(peer, path, WatchType::data);
    }
    for (const auto& path : exists) {
        if (tree.find(path) != nullptr) tell(path, WatchEventType::created);
        else watches.add(peer, path, WatchType::data);
    }
    for (const auto& path : children) {
        const detail::TreeNode* const node = tree.find(path);
        if (node == nullptr) tell(path, WatchEventType::deleted);
        else if (node->stat.pzxid > seen) tell(path, WatchEventType::children_changed);
        else watches.add(peer, path, WatchType::children);
    }
    for (const auto& path : persistent) watches.add(peer, path, WatchType::persistent);
    for (const auto& path : recursive) watches.add(peer, path, WatchType::recursive);
    reply(peer, xid, {});
}

void MemoryService::answer_ephemerals(Peer& peer, std::int32_t xid, JuteReader& reader) {
    const std::string prefix = reader.text();
    if (!reader.ok()) return refuse_body(peer, xid);
    auto owned = ensemble_.seen_by(peer.server).nodes_of(peer.session);
    std::erase_if(owned, [&](const std::string& path) { return !path.starts_with(prefix); });
    reply(peer, xid, {}, JuteWriter().texts(owned).take());
}

void MemoryService::answer_close(Peer& peer, std::int32_t xid) {
    closing_ = &peer;
    ensemble_.end_session(peer.session);
    ensemble_.catch_up(peer.server); // the session's nodes are gone on this server as well
    closing_ = nullptr;
    reply(peer, xid, {});
    peer.cut();
}

} // namespace docent::testing
