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

/// A change of a node by a transaction.
struct NodeChange {
    enum class Kind { created, removed, ended_with_session } kind;
    std::int64_t zxid;
    std::int64_t session = 0; // the session that sent the request
    std::int64_t time = 0;    // by the leader's wall clock, in ms
};

/// All transactions that the ensemble ever logged, read from its servers' logs. A leader logs everything that it proposes. So a
/// transaction that is in no log was never decided.
class TransactionLogs {
public:
    /// Reads all `log.*` files below the folder, in the format of FileTxnLog. A log of a killed server may end early; it is
    /// read up to there. Folders are named after their servers, `SERVER-NUMBER`.
    void add_folder(const std::filesystem::path& folder);
    /// Reads the bytes of one file.
    void add_file(const std::string& server, std::string_view bytes);

    /// Returns the changes in the order of their zxids.
    std::vector<NodeChange> changes_of(const std::string& node) const;
    /// Returns a node that this transaction created. Empty: there is none.
    std::string made_by(std::int64_t zxid) const;
    /// Returns the change that removed the node. If there are several, it skips early ones that only one server logged. A
    /// leader without followers proposed these, and they were never decided.
    std::optional<NodeChange> removal_of(const std::string& node) const;
    /// Returns true if the end of a session removed the node.
    bool ended_with_session(const std::string& node) const;
    /// Says why the transaction that created this node belongs to an abandoned history. In that history, then or earlier, the
    /// parent gave out a sequence number that it gave out again in a later epoch. Empty: there is no such sign.
    std::string given_up(const std::string& node) const;
    /// Says why the ensemble has forgotten this transaction, which it has acknowledged: more than one server logged it, and a
    /// later transaction gave a node that it set the same version, or an earlier one. Empty: there is no such sign.
    std::string forgotten(std::int64_t zxid) const;
    std::size_t transactions() const { return servers_.size(); }
    std::size_t files() const { return files_; }

private:
    bool one_server_has(std::int64_t from, std::int64_t to) const;

    std::map<std::int64_t, std::set<std::string>> servers_; // servers that logged it, by zxid
    std::map<std::string, std::map<std::int64_t, NodeChange>> changes_;
    std::map<std::string, std::map<std::int64_t, std::int64_t>> versions_; // that a write made, by node and zxid
    std::map<std::int64_t, std::string> made_;
    std::size_t files_ = 0;
};

struct History;
struct Violation;
/// Adds facts to a history that only the logs know: unknown nodes and tokens, and the times of removals. Also marks nodes of
/// sessions that an administrator ended as deleted.
void complete(History& history, const TransactionLogs& logs);
/// Looks in the logs and the ledger for evidence that a violation is ZooKeeper's: a holder's node is gone that no transaction
/// removed, or a removed node exists, or an acknowledged write is forgotten. Empty: there is none.
std::string evidence_in(const History& history, const TransactionLogs& logs, const Violation& violation);

} // namespace docent::chaos
