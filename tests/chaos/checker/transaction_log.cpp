// SPDX-License-Identifier: Apache-2.0
#include "checker/transaction_log.hpp"

#include "checker/checks.hpp"
#include "posix/descriptors.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

namespace docent::chaos {
namespace {

enum class Type : std::int32_t {
    create = 1,
    remove = 2,
    set = 5,
    multi = 14,
    create2 = 15,
    container = 19,
    remove_container = 20,
    ttl = 21,
    close_session = -11
};

/// Reads Jute: numbers are big-endian, strings and buffers have a length prefix.
class Input {
public:
    explicit Input(std::string_view bytes) : bytes_(bytes) {}
    std::int64_t number(std::size_t size) {
        std::uint64_t value = 0;
        for (const char c : take(size)) value = (value << 8) | static_cast<unsigned char>(c);
        return size == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
    }
    std::string_view buffer() {
        const std::int64_t size = number(4);
        return size <= 0 ? std::string_view() : take(static_cast<std::size_t>(size));
    }
    std::string_view take(std::size_t size) {
        if (size > bytes_.size()) throw std::out_of_range("a transaction log ends early");
        const std::string_view taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }
    bool empty() const { return bytes_.empty(); }

private:
    std::string_view bytes_;
};

/// Calls changed(node, kind) for each node that the transaction creates or removes, and written(node, version) for each that it
/// sets.
template <typename Changed, typename Written>
void read_transaction(Type type, Input body, const Changed& changed, const Written& written) {
    using Kind = NodeChange::Kind;
    switch (type) {
    case Type::create:
    case Type::create2:
    case Type::container:
    case Type::ttl: changed(std::string(body.buffer()), Kind::created); break;
    case Type::remove:
    case Type::remove_container: changed(std::string(body.buffer()), Kind::removed); break;
    case Type::set: {
        const std::string node(body.buffer());
        body.buffer(); // data
        written(node, body.number(4));
        break;
    }
    case Type::close_session:
        if (body.empty()) break; // older releases do not log the nodes
        for (std::int64_t left = body.number(4); left > 0; --left)
            changed(std::string(body.buffer()), Kind::ended_with_session);
        break;
    case Type::multi:
        for (std::int64_t left = body.number(4); left > 0; --left) {
            const auto part = static_cast<Type>(body.number(4));
            read_transaction(part, Input(body.buffer()), changed, written);
        }
        break;
    }
}

} // namespace

void TransactionLogs::add_folder(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file() || !entry.path().filename().string().starts_with("log.")) continue;
        const std::string folder_name = entry.path().parent_path().filename().string();
        add_file(folder_name.substr(0, folder_name.find('-')), posix::read_file(entry.path().string()).value_or(""));
    }
}

void TransactionLogs::add_file(const std::string& server, std::string_view bytes) {
    constexpr std::size_t header = 16; // "ZKLG", version, database
    ++files_;
    try {
        Input in(bytes);
        in.take(header);
        while (!in.empty()) {
            in.number(8); // checksum
            const std::string_view record = in.buffer();
            if (record.empty()) return; // the preallocated rest of the file
            Input transaction(record);
            const std::int64_t session = transaction.number(8);
            transaction.take(4); // number of the client's request
            const std::int64_t zxid = transaction.number(8);
            const std::int64_t time = transaction.number(8);
            const auto type = static_cast<Type>(transaction.number(4));
            servers_[zxid].insert(server);
            read_transaction(
                type, transaction,
                [&](const std::string& node, NodeChange::Kind kind) {
                    changes_[node][zxid] = {kind, zxid, session, time};
                    if (kind == NodeChange::Kind::created) made_[zxid] = node;
                },
                [&](const std::string& node, std::int64_t version) { versions_[node][zxid] = version; });
            in.take(1); // end of the record
        }
    } catch (const std::out_of_range&) { // the server was killed while it wrote
    }
}

std::vector<NodeChange> TransactionLogs::changes_of(const std::string& node) const {
    std::vector<NodeChange> all;
    const auto found = changes_.find(node);
    if (found == changes_.end()) return all;
    for (const auto& [zxid, change] : found->second) all.push_back(change);
    return all;
}

std::string TransactionLogs::made_by(std::int64_t zxid) const {
    const auto found = made_.find(zxid);
    return found == made_.end() ? std::string() : found->second;
}

std::optional<NodeChange> TransactionLogs::removal_of(const std::string& node) const {
    std::vector<NodeChange> removals = changes_of(node);
    std::erase_if(removals, [](const NodeChange& change) { return change.kind == NodeChange::Kind::created; });
    if (removals.empty()) return std::nullopt;
    return *std::find_if(removals.begin(), std::prev(removals.end()),
                         [this](const NodeChange& change) { return !one_server_has(change.zxid, change.zxid); });
}

bool TransactionLogs::ended_with_session(const std::string& node) const {
    const std::vector<NodeChange> changes = changes_of(node);
    return std::any_of(changes.begin(), changes.end(),
                       [](const NodeChange& change) { return change.kind == NodeChange::Kind::ended_with_session; });
}

bool TransactionLogs::one_server_has(std::int64_t from, std::int64_t to) const {
    return std::all_of(servers_.lower_bound(from), servers_.upper_bound(to),
                       [](auto& entry) { return entry.second.size() == 1; });
}

std::string TransactionLogs::forgotten(std::int64_t zxid) const {
    if (one_server_has(zxid, zxid)) return {};
    for (const auto& [node, versions] : versions_) {
        const auto write = versions.find(zxid);
        if (write == versions.end()) continue;
        const auto changes = changes_.find(node);
        if (changes != changes_.end() && changes->second.upper_bound(zxid) != changes->second.end()) continue; // may begin anew
        const auto again =
            std::find_if(std::next(write), versions.end(), [&](const auto& later) { return later.second <= write->second; });
        if (again == versions.end()) continue;
        return "zxid " + std::to_string(zxid) + " made version " + std::to_string(write->second) + " of " + node +
               ", and later, " + std::to_string(again->first) + " made version " + std::to_string(again->second);
    }
    return {};
}

std::string TransactionLogs::given_up(const std::string& node) const {
    constexpr std::size_t protection = 3 + 36; // `_c_`, guid
    constexpr std::size_t digits = 10;         // of a sequence number
    constexpr int epoch_shift = 32;
    const auto its_changes = changes_of(node);
    if (its_changes.empty() || its_changes.front().kind != NodeChange::Kind::created) return {};
    const std::int64_t zxid = its_changes.front().zxid;
    const auto removed = [&](const std::string& parent, std::int64_t from, std::int64_t to) {
        const auto changes = changes_of(parent);
        return std::any_of(changes.begin(), changes.end(), [&](const NodeChange& change) {
            return change.kind != NodeChange::Kind::created && change.zxid > from && change.zxid < to;
        });
    };
    std::map<std::pair<std::string, std::string>, std::set<std::int64_t>> given; // zxids by parent and name without guid
    for (const auto& [path, changes] : changes_) {
        const std::size_t name = path.rfind('/') + 1;
        if (path.compare(name, 3, "_c_") != 0 || path.size() < name + protection + digits) continue;
        if (path.find_last_not_of("0123456789") >= path.size() - digits) continue; // no sequence number
        for (const auto& [created, change] : changes) {
            if (change.kind != NodeChange::Kind::created) continue;
            given[{path.substr(0, name - 1), path.substr(name + protection)}].insert(created);
        }
    }
    for (const auto& [place, zxids] : given) {
        for (auto first = zxids.begin(); std::next(first) != zxids.end(); ++first) {
            const std::int64_t again = *std::next(first);
            if (*first >> epoch_shift != zxid >> epoch_shift || again >> epoch_shift == zxid >> epoch_shift) continue;
            if ((*first > zxid && !one_server_has(zxid, *first)) || removed(place.first, *first, again)) continue;
            return node + " was made by zxid " + std::to_string(zxid) + " of a history that had been given up: in " +
                   place.first + " the number of " + place.second + " was given out by zxid " + std::to_string(*first) +
                   ", and again by " + std::to_string(again);
        }
    }
    return {};
}

std::string evidence_in(const History& history, const TransactionLogs& logs, const Violation& violation) {
    const auto removal = [&](const std::string& node) -> std::int64_t {
        for (const NodeChange& change : logs.changes_of(node)) {
            if (change.kind != NodeChange::Kind::created) return change.zxid;
        }
        return 0;
    };
    if (violation.kind == "exclusion") { // the holder's node was first in the queue until it went: find its removal
        for (std::size_t i = 0; i + 1 < violation.holds.size(); ++i) {
            const Hold& hold = violation.holds[i];
            const std::string gone = gone_by_ledger(history, hold.token);
            if (!gone.empty()) return gone;
            if (!hold.node.empty() && removal(hold.node) == 0)
                return hold.node + " is gone, and in no server's log did anybody ever remove it";
        }
    }
    if (violation.kind == "left" || violation.kind == "orphan") { // `NODE czxid ZXID session ID after ZXID`
        const std::string node = violation.text.substr(0, violation.text.find(' '));
        const std::size_t after = violation.text.rfind(" after ");
        const std::int64_t zxid = removal(node);
        if (zxid != 0 && after != std::string::npos && zxid < std::stoll(violation.text.substr(after + 7))) {
            return node + " is there, though zxid " + std::to_string(zxid) + " removed it";
        }
        return logs.given_up(node);
    }
    if (violation.kind == "counter") {
        const std::string gone = gone_by_ledger(history, violation.lost);
        return gone.empty() ? logs.forgotten(violation.lost) : gone;
    }
    if (violation.kind == "progress" ||
        violation.kind == "items") { // the corruption that was found in the same calm, after the longest wait
        const auto next = std::upper_bound(history.healed.begin(), history.healed.end(), violation.from);
        const auto corrupt = history.corrupt.lower_bound(violation.to);
        if (corrupt != history.corrupt.end() && (next == history.healed.end() || corrupt->first < *next))
            return corrupt->second;
    }
    return {};
}

// ---- what the logs add to a history

namespace {

constexpr Time nanoseconds_of_a_millisecond = 1'000'000;
constexpr Time longest_closing = 10'000 * nanoseconds_of_a_millisecond; // later, the session may have expired

/// Converts a server's time to CLOCK_BOOTTIME, by the nearest recorded pair of both clocks. 0: there is no such pair.
Time our_time(const History& history, std::int64_t wall) {
    if (history.wall.empty()) return 0;
    auto near = history.wall.upper_bound(wall * nanoseconds_of_a_millisecond);
    if (near != history.wall.begin()) --near;
    return wall * nanoseconds_of_a_millisecond - near->second;
}

/// Ends a hold of Curator with its node. While no server answers, Curator's holder cannot know that its session is gone.
void end_with_node(Hold& hold) {
    if (!hold.by_curator || hold.node_gone == 0 || hold.last_yes <= hold.node_gone) return;
    hold.believed = hold.last_yes;
    hold.last_yes = hold.node_gone;
    if (hold.first_yes >= hold.last_yes) hold.first_yes = hold.last_yes = 0;
}

} // namespace

void complete(History& history, const TransactionLogs& logs) {
    for (Hold& hold : history.holds) {
        if (hold.node.empty()) hold.node = logs.made_by(hold.token);
        const std::vector<NodeChange> changes = logs.changes_of(hold.node);
        if (hold.token == 0 && !changes.empty()) hold.token = changes.front().zxid;
        const auto gone = logs.removal_of(hold.node);
        if (!gone) continue;
        hold.node_gone = our_time(history, gone->time);
        const auto closed = history.closed_sessions.find(gone->session);
        if (gone->kind == NodeChange::Kind::ended_with_session && closed != history.closed_sessions.end() &&
            hold.node_gone < closed->second + longest_closing)
            history.deleted.emplace(hold.node, closed->second);
        end_with_node(hold);
    }
}

} // namespace docent::chaos
