// SPDX-License-Identifier: Apache-2.0
#include "checker/transaction_log.hpp"

#include "checker/checks.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

namespace docent::chaos {
namespace {

enum class Type : std::int32_t {
    create = 1,
    remove = 2,
    multi = 14,
    create2 = 15,
    container = 19,
    remove_container = 20,
    ttl = 21,
    close_session = -11
};

/// Jute: everything big-endian, strings and buffers with their length in front.
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

template <typename Note> void read_transaction(Type type, Input body, const Note& note) {
    using Kind = NodeChange::Kind;
    switch (type) {
    case Type::create:
    case Type::create2:
    case Type::container:
    case Type::ttl: note(std::string(body.buffer()), Kind::created); break;
    case Type::remove:
    case Type::remove_container: note(std::string(body.buffer()), Kind::removed); break;
    case Type::close_session:
        if (body.empty()) break; // of a release that does not say
        for (std::int64_t left = body.number(4); left > 0; --left) note(std::string(body.buffer()), Kind::ended_with_session);
        break;
    case Type::multi:
        for (std::int64_t left = body.number(4); left > 0; --left) {
            const auto part = static_cast<Type>(body.number(4));
            read_transaction(part, Input(body.buffer()), note);
        }
        break;
    }
}

} // namespace

void TransactionLogs::add_folder(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file() || !entry.path().filename().string().starts_with("log.")) continue;
        std::ifstream in(entry.path(), std::ios::binary);
        add_file(std::string{std::istreambuf_iterator<char>(in), {}});
    }
}

void TransactionLogs::add_file(std::string_view bytes) {
    constexpr std::size_t header = 16; // "ZKLG", version, database
    ++files_;
    try {
        Input in(bytes);
        in.take(header);
        while (!in.empty()) {
            in.number(8); // checksum
            const std::string_view record = in.buffer();
            if (record.empty()) return; // what was allocated in advance
            Input transaction(record);
            transaction.take(8 + 4); // session, number of its request
            const std::int64_t zxid = transaction.number(8);
            transaction.take(8); // time
            const auto type = static_cast<Type>(transaction.number(4));
            ++transactions_;
            read_transaction(type, transaction,
                             [&](const std::string& node, NodeChange::Kind kind) { changes_[node][zxid] = kind; });
            in.take(1); // end of the record
        }
    } catch (const std::out_of_range&) { // its server was killed while it wrote
    }
}

std::vector<NodeChange> TransactionLogs::changes_of(const std::string& node) const {
    std::vector<NodeChange> all;
    const auto found = changes_.find(node);
    if (found == changes_.end()) return all;
    for (const auto& [zxid, kind] : found->second) all.push_back({kind, zxid});
    return all;
}

bool TransactionLogs::ended_with_session(const std::string& node) const {
    const std::vector<NodeChange> changes = changes_of(node);
    return std::any_of(changes.begin(), changes.end(),
                       [](const NodeChange& change) { return change.kind == NodeChange::Kind::ended_with_session; });
}

std::string evidence_in(const History& history, const TransactionLogs& logs, const Violation& violation) {
    const auto removal = [&](const std::string& node) -> std::int64_t {
        for (const NodeChange& change : logs.changes_of(node)) {
            if (change.kind != NodeChange::Kind::created) return change.zxid;
        }
        return 0;
    };
    if (violation.kind == "exclusion") { // its node stood in front until it went; who removed it?
        for (std::size_t i = 0; i + 1 < violation.holds.size(); ++i) {
            const Hold& hold = violation.holds[i];
            const std::string gone = gone_by_ledger(history, hold.token);
            if (!gone.empty()) return gone;
            if (removal(hold.node) == 0) return hold.node + " is gone, and in no server's log did anybody ever remove it";
        }
    }
    if (violation.kind == "left") { // the text begins with the node
        const std::string node = violation.text.substr(0, violation.text.find(' '));
        const std::int64_t zxid = removal(node);
        if (zxid != 0) return node + " is there, though zxid " + std::to_string(zxid) + " removed it";
    }
    return {};
}

} // namespace docent::chaos
