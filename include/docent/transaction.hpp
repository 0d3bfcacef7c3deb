// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/acl.hpp>
#include <docent/compression.hpp>
#include <docent/create_mode.hpp>
#include <docent/error.hpp>
#include <docent/export.hpp>
#include <docent/stat.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace docent {

class InterProcessMutex;
class Lease;

/// What an operation of a transaction does.
enum class OperationType { create, remove, set_data, check };

/// What became of one operation.
struct OperationResult {
    OperationType type = OperationType::check;
    std::string for_path;          ///< As it was given.
    std::string result_path = {};  ///< For create: the path made, with the server's digits.
    std::optional<Stat> stat = {}; ///< For set_data.
    /// Set in a rejected transaction: the operation's own error for the one that failed, `error::not_applied` for all others.
    error_code ec = {};
    friend bool operator==(const OperationResult&, const OperationResult&) = default;
};

/// What became of a transaction.
struct TransactionResult {
    std::vector<OperationResult> operations = {}; ///< In the order in which they were added.
    /// Which operation made the server reject it, counted from 0; nothing for other failures.
    std::optional<std::size_t> failed_operation = {};
    /// The zxid of the transaction, which is the czxid of all that was created in it: a fencing token. Known when it sets some
    /// data, when it was committed exactly once, or when Transaction::with_fencing_token() asked for it; else 0.
    std::int64_t fencing_token = 0;
    /// Whether the reply was lost and the outcome found out later (Transaction::exactly_once): then stats, and paths of
    /// sequential nodes, are not known.
    bool recovered = false;
    friend bool operator==(const TransactionResult&, const TransactionResult&) = default;
};

/// A rejected transaction; `what()` names the operation.
class DOCENT_EXPORT TransactionError : public Error {
public:
    TransactionError(error_code ec, const std::string& what, TransactionResult result)
        : Error(ec, what), result_(std::move(result)) {}

    const TransactionResult& result() const noexcept { return result_; }

private:
    TransactionResult result_;
};

/// Several changes that are applied together or not at all: a builder. Committed by Client::commit.
///
/// Errors: nothing is checked or sent before the commit.
/// Thread safety: one thread at a time.
class DOCENT_EXPORT Transaction {
public:
    struct Create {
        std::string path;
        std::optional<std::string> data;
        CreateMode mode;
        Acl acl;
        Compression compression;
    };
    struct SetData {
        std::string path;
        std::string data;
        std::int32_t version;
        Compression compression;
    };
    struct Remove {
        std::string path;
        std::int32_t version;
    };
    struct Check {
        std::string path;
        std::int32_t version;
    };
    using Operation = std::variant<Create, SetData, Remove, Check>;

    /// Makes a node, in a mode without container and TTL: in a transaction servers and C client have none. Without data, and
    /// with an empty ACL, as Client::create.
    Transaction& create(std::string_view path, std::optional<std::string_view> data = {},
                        CreateMode mode = CreateMode::persistent, Acl acl = {},
                        Compression compression = Compression::client_default);
    /// Replaces a node's data if it still has this version; -1: whatever it is.
    Transaction& set_data(std::string_view path, std::string_view data, std::int32_t version = -1,
                          Compression compression = Compression::client_default);
    /// Removes a node if it still has this version; -1: whatever it is.
    Transaction& remove(std::string_view path, std::int32_t version = -1);
    /// Lets the transaction pass only if the node has this version; -1: if it exists.
    Transaction& check(std::string_view path, std::int32_t version = -1);

    /// Lets the transaction pass only while this lease's own node exists, which the server checks with the transaction: a
    /// holder that does not know yet that it lost the lock cannot commit. The failure is `error::lease_lost`. Any number of
    /// guards. The lease must be of the client that commits.
    Transaction& guard(const Lease& lease);
    /// A temporary is most likely released before the commit, which it would then refuse.
    Transaction& guard(const Lease&& lease) = delete;
    /// The same for what the calling thread holds by `lock()`. Errors: throws `error::not_owner`.
    Transaction& guard(const InterProcessMutex& mutex);
    /// The same for any node, by its path.
    Transaction& guard(std::string_view node_path);

    /// Resolves a lost reply instead of reporting it: the transaction also writes to a marker, an ephemeral node below
    /// `marker_parent`, which tells after a reconnect whether it was applied, and keeps it from being applied later. The
    /// outcome stays unknown only if the session ends before that, if somebody removes the marker, or if the call gives up. The
    /// first transaction of a client makes the marker, which takes a round trip; a few stay for the next ones, until the
    /// session ends. A missing `marker_parent` is made as `ClientConfig::own_parents` says.
    Transaction& exactly_once(std::string_view marker_parent = "/docent/transactions");

    /// Makes TransactionResult::fencing_token known though nothing is set: three operations more, on a node beside the first
    /// one created, which is gone again in the same moment.
    Transaction& with_fencing_token();

    // What was asked for, for those who commit it.
    struct Guard {
        std::string node_path;
        std::function<bool()> held; // not asked if empty
    };
    const std::vector<Operation>& operations() const noexcept { return operations_; }
    const std::vector<Guard>& guards() const noexcept { return guards_; }
    const std::optional<std::string>& marker_parent() const noexcept { return marker_parent_; }
    bool wants_fencing_token() const noexcept { return wants_fencing_token_; }

private:
    std::vector<Operation> operations_;
    std::vector<Guard> guards_;
    std::optional<std::string> marker_parent_;
    bool wants_fencing_token_ = false;
};

} // namespace docent
