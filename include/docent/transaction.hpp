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

/// The kind of an operation in a transaction.
/// @ingroup client
enum class OperationType {
    create,   ///< Transaction::create.
    remove,   ///< Transaction::remove.
    set_data, ///< Transaction::set_data.
    check     ///< Transaction::check.
};

/// The result of one operation in a transaction.
/// ```cpp
/// docent::Transaction tx;
/// tx.create("/log/entry-", "x", docent::CreateMode::persistent_sequential);
/// docent::OperationResult entry = client.commit(tx).operations.at(0);
/// std::string path = entry.result_path; // with the server's digits
/// ```
/// @ingroup client
struct OperationResult {
    OperationType type = OperationType::check; ///< The kind of the operation.
    std::string for_path;                      ///< The path that the caller gave.
    std::string result_path = {};              ///< For `create`: the path of the new node, with the server's digits.
    std::optional<Stat> stat = {};             ///< For `set_data`: the node's metadata after the change.
    /// Set if nothing was applied: the error of the operation that failed, `error::not_applied` for all other operations.
    error_code ec = {};
    /// Compares all fields.
    friend bool operator==(const OperationResult&, const OperationResult&) = default;
};

/// The result of a transaction.
/// ```cpp
/// docent::Transaction tx;
/// tx.check("/config", 4).set_data("/config", "new");
/// docent::error_code ec;
/// docent::TransactionResult done = client.commit(tx, ec);
/// if (ec == docent::server_error::bad_version) {
///     std::string changed = done.operations.at(*done.failed_operation).for_path;
/// }
/// ```
/// @ingroup client
struct TransactionResult {
    /// The results of the operations, in the order of the calls; empty if the outcome of the transaction is unknown.
    std::vector<OperationResult> operations = {};
    /// The number, from 0, of the operation that made the transaction fail; nothing for other failures.
    std::optional<std::size_t> failed_operation = {};
    /// The transaction's zxid, a fencing token: it is also the czxid of each node that the transaction created.
    ///
    /// Known if the transaction sets data, or after Transaction::exactly_once() or Transaction::with_fencing_token();
    /// otherwise 0.
    std::int64_t fencing_token = 0;
    /// Whether the reply was lost and the client found the outcome later (Transaction::exactly_once()).
    ///
    /// Then `stat` and the paths of sequential nodes are unknown.
    bool recovered = false;
    /// Compares all fields.
    friend bool operator==(const TransactionResult&, const TransactionResult&) = default;
};

/// The exception of Client::commit. If an operation failed, `what()` names the operation.
/// ```cpp
/// docent::Transaction tx;
/// tx.remove("/jobs/1").create("/done/1");
/// try {
///     client.commit(tx);
/// } catch (const docent::TransactionError& failure) {
///     // 0: another worker was faster.
///     if (failure.result().failed_operation != 0u) throw;
/// }
/// ```
/// @ingroup errors
class DOCENT_EXPORT TransactionError : public Error {
public:
    /// Makes the exception from the error, a text and the result.
    TransactionError(error_code ec, const std::string& what, TransactionResult result)
        : Error(ec, what), result_(std::move(result)) {}

    /// Returns the result of the transaction, as the `error_code&` overload of Client::commit returns it.
    const TransactionResult& result() const noexcept { return result_; }

private:
    TransactionResult result_;
};

/// A builder for several changes that the server applies together or not at all; Client::commit sends it.
/// ```cpp
/// docent::Transaction tx;
/// tx.guard("/locks/nightly/holder")
///     .set_data("/balance/a", "70", 12) // only if the version is 12
///     .set_data("/balance/b", "130")
///     .create("/log/entry-", "30", docent::CreateMode::persistent_sequential);
/// docent::TransactionResult done = client.commit(tx);
/// ```
/// - Errors: no member sends anything. Client::commit reports the errors of the operations.
/// - Thread safety: one thread at a time.
/// @ingroup client
class DOCENT_EXPORT Transaction {
public:
    /// An operation that creates a node.
    struct Create {
        std::string path;                ///< The path of the node.
        std::optional<std::string> data; ///< The data; nothing for `ClientConfig::default_data`.
        CreateMode mode;                 ///< How long the node lives and how it is named.
        Acl acl;                         ///< The ACL; if empty, chosen as for Client::create.
        Compression compression;         ///< Whether the client compresses the data.
    };
    /// An operation that replaces a node's data.
    struct SetData {
        std::string path;        ///< The path of the node.
        std::string data;        ///< The new data.
        std::int32_t version;    ///< The version that the node must have; -1 for any version.
        Compression compression; ///< Whether the client compresses the data.
    };
    /// An operation that removes a node.
    struct Remove {
        std::string path;     ///< The path of the node.
        std::int32_t version; ///< The version that the node must have; -1 for any version.
    };
    /// An operation that checks a node's version.
    struct Check {
        std::string path;     ///< The path of the node.
        std::int32_t version; ///< The version that the node must have; -1 for any version.
    };
    /// One operation of any kind.
    using Operation = std::variant<Create, SetData, Remove, Check>;

    /// Adds the creation of a node.
    ///
    /// Without `data` the node gets `ClientConfig::default_data`. An empty `acl` is chosen as for Client::create. Container and
    /// TTL modes fail with `server_error::unimplemented`, because the C client has no such transactions.
    Transaction& create(std::string_view path, std::optional<std::string_view> data = {},
                        CreateMode mode = CreateMode::persistent, Acl acl = {},
                        Compression compression = Compression::client_default);
    /// Adds the replacement of a node's data, on the condition that the node has `version`; -1 for any version.
    Transaction& set_data(std::string_view path, std::string_view data, std::int32_t version = -1,
                          Compression compression = Compression::client_default);
    /// Adds the removal of a node, on the condition that the node has `version`; -1 for any version.
    Transaction& remove(std::string_view path, std::int32_t version = -1);
    /// Adds the condition that the node exists and has `version`; -1 for any version.
    Transaction& check(std::string_view path, std::int32_t version = -1);

    /// Adds the condition that the node of `lease` exists: a client that has lost the lock cannot commit.
    ///
    /// The server checks the node together with the transaction. So the guard also stops a holder that has not yet noticed the
    /// loss. Client::commit then fails with `error::lease_lost`, or `error::lease_released` if the holder itself has released
    /// the lease. A transaction may have several guards; they do not count as operations. The lease must belong to the client
    /// that commits, and to the same namespace: a view with another namespace looks for the node at another path, and fails
    /// with `error::lease_lost`.
    Transaction& guard(const Lease& lease);
    /// Deleted: a temporary lease would be released before the commit.
    Transaction& guard(const Lease&& lease) = delete;
    /// As above, for the lock that the calling thread holds by `mutex.lock()`.
    ///
    /// Errors: throws `error::not_owner` if the thread does not hold the mutex.
    Transaction& guard(const InterProcessMutex& mutex);
    /// As above, for any node, given by its path.
    Transaction& guard(std::string_view node_path);

    /// Makes Client::commit find the outcome after a lost reply, instead of reporting `condition::outcome_unknown`.
    ///
    /// The transaction also writes to a marker: an ephemeral node below `marker_parent`. After a reconnect the marker shows
    /// whether the transaction was applied, and prevents that a delayed copy is applied later. The outcome remains unknown only
    /// if, before the client finds it, the session ends, another client removes the marker, or the call gives up.
    ///
    /// Cost: one more operation in the same round trip. A client's first transaction also creates the marker, in one round
    /// trip. The client keeps at most 8 markers for later transactions, until the session ends. The client creates a missing
    /// `marker_parent` as `ClientConfig::own_parents` says, unless the transaction sets, removes or checks that node: then it
    /// fails with `server_error::no_node`.
    Transaction& exactly_once(std::string_view marker_parent = "/docent/transactions");

    /// Makes TransactionResult::fencing_token known also if the transaction sets no data.
    ///
    /// Cost: three more operations, which create, set and remove a node beside the first new node, or below the root of the
    /// namespace if the transaction makes no node. The node never becomes visible. Without CREATE, WRITE and DELETE there, the
    /// transaction fails with `server_error::no_auth`. If the transaction sets data, or with exactly_once(), there is no extra
    /// cost.
    Transaction& with_fencing_token();

    /// A condition that guard() added. For Client::commit.
    struct Guard {
        std::string node_path; ///< The path of the node that must exist.
        /// Returns why the lease has ended, or no error; empty for a guard by path.
        std::function<error_code()> check;
    };
    /// Returns the operations in the order of the calls. For Client::commit.
    const std::vector<Operation>& operations() const noexcept { return operations_; }
    /// Returns the guards in the order of the calls. For Client::commit.
    const std::vector<Guard>& guards() const noexcept { return guards_; }
    /// Returns the parent of the marker; nothing without exactly_once(). For Client::commit.
    const std::optional<std::string>& marker_parent() const noexcept { return marker_parent_; }
    /// Returns whether with_fencing_token() was called. For Client::commit.
    bool wants_fencing_token() const noexcept { return wants_fencing_token_; }

private:
    std::vector<Operation> operations_;
    std::vector<Guard> guards_;
    std::optional<std::string> marker_parent_;
    bool wants_fencing_token_ = false;
};

} // namespace docent
