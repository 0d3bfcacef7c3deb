// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace docent::chaos {

/// What transactions did to a node.
struct NodeChange {
    enum class Kind { created, removed, ended_with_session } kind;
    std::int64_t zxid;
    std::int64_t session = 0; // whose request it was
    std::int64_t time = 0;    // by the leader's clock on the wall, in ms
};

/// What the ensemble ever wrote down, read from the transaction logs of its servers. A leader logs all that it proposes, so
/// what is in no log was never decided.
class TransactionLogs {
public:
    /// All `log.*` below the folder, by the format of FileTxnLog; one that ends early (its server was killed) is read up to
    /// there. Folders in it are called after their servers, `SERVER-NUMBER`.
    void add_folder(const std::filesystem::path& folder);
    /// The bytes of one file.
    void add_file(const std::string& server, std::string_view bytes);

    /// In the order of their zxids.
    std::vector<NodeChange> changes_of(const std::string& node) const;
    /// The node that this transaction made; empty: none. Of several, any.
    std::string made_by(std::int64_t zxid) const;
    /// What removed it. Of several, no early one that one server alone wrote down: a leader that nobody followed any more
    /// proposed it, and it was never decided.
    std::optional<NodeChange> removal_of(const std::string& node) const;
    /// Whether the end of its session removed it, and nothing else.
    bool ended_with_session(const std::string& node) const;
    /// Why the transaction that made this node belongs to a history that was given up: its parent gave out a number then, or
    /// before, that it gave out again in a later epoch. Empty: no such thing is seen.
    std::string given_up(const std::string& node) const;
    std::size_t transactions() const { return servers_.size(); }
    std::size_t files() const { return files_; }

private:
    bool one_server_has(std::int64_t from, std::int64_t to) const;

    std::map<std::int64_t, std::set<std::string>> servers_; // that have this transaction
    std::map<std::string, std::map<std::int64_t, NodeChange>> changes_;
    std::map<std::int64_t, std::string> made_;
    std::size_t files_ = 0;
};

struct History;
struct Violation;
/// Adds to a history what only the logs know: nodes and tokens that a process did not know, when nodes went, and which of them
/// went with a session that an administrator ended.
void complete(History& history, const TransactionLogs& logs);
/// What the logs, and the ledger, say for a violation being ZooKeeper's own: a holder's node that went and that nobody removed,
/// a node that is there though it was removed. Empty: nothing.
std::string evidence_in(const History& history, const TransactionLogs& logs, const Violation& violation);

} // namespace docent::chaos
