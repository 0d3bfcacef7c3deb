// SPDX-License-Identifier: Apache-2.0
#pragma once

// The grammar of the names of the nodes of locks, permits and latches, docent's and Curator's.
//
//     name = [ "_c_" guid "-" ] token number
//     number = ten digits, or "-" and ten digits: a server counts with 32 bits, and after the largest number come negative ones

#include <docent/recipes/lock_options.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace docent::detail {

struct OtherNames;
using OtherNamesPtr = std::shared_ptr<const OtherNames>;

enum class ContenderKind { exclusive, shared };

/// The text in front of the sequence number, and the kind of contender that it stands for.
struct QueueToken {
    std::string_view text;
    ContenderKind kind;
    friend bool operator==(const QueueToken&, const QueueToken&) = default;
};

inline constexpr QueueToken lock_token{"lock-", ContenderKind::exclusive};
inline constexpr QueueToken read_token{"__READ__", ContenderKind::shared};
inline constexpr QueueToken write_token{"__WRIT__", ContenderKind::exclusive};
inline constexpr QueueToken lease_token{"lease-", ContenderKind::shared};
inline constexpr QueueToken latch_token{"latch-", ContenderKind::exclusive};
inline constexpr std::array read_write_tokens{read_token, write_token};
inline constexpr std::array lock_tokens{lock_token, read_token, write_token, lease_token};

/// The names of one recipe's nodes: one token or several.
class QueueNames {
public:
    explicit QueueNames(const QueueToken& token) : tokens_(&token, 1) {}
    explicit QueueNames(std::span<const QueueToken> tokens) : tokens_(tokens) {}
    /// The same names, and those of other libraries. `others` may be null.
    QueueNames beside(OtherNamesPtr others) const;

    std::span<const QueueToken> tokens() const { return tokens_; }
    std::span<const QueueToken> other_tokens() const;

private:
    std::span<const QueueToken> tokens_; // of static lifetime
    OtherNamesPtr others_;
};

inline QueueNames mutex_names() {
    return QueueNames(lock_token);
}
inline QueueNames read_write_names() {
    return QueueNames(read_write_tokens);
}
inline QueueNames lease_names() {
    return QueueNames(lease_token);
}
inline QueueNames latch_names() {
    return QueueNames(latch_token);
}
/// The names of all nodes that hold a lock or a permit.
inline QueueNames names_of_all_locks() {
    return QueueNames(lock_tokens);
}

// The nodes below a semaphore's path.
inline constexpr auto gate_name = "locks";    // a mutex; its holder may take permits
inline constexpr auto leases_name = "leases"; // has a child for each permit that is taken

/// The server's last sequence number. All later children get this number too. Children that are created at the same time can
/// get the negative numbers that follow it.
inline constexpr std::int32_t last_number = std::numeric_limits<std::int32_t>::max();
/// Whether the number tells the order of creation.
constexpr bool is_usable(std::int32_t number) {
    return number >= 0 && number < last_number;
}

/// The parts of a name.
struct NodeName {
    std::string_view guid; // empty: the node was made without protection, or by another library
    QueueToken token;      // for another library's node, valid as long as the names used to parse it
    std::int32_t number;   // appended by the server
    friend bool operator==(const NodeName&, const NodeName&) = default;
};

/// Parses a name. Returns nothing if the name is none of `names`: a stray child must not block a queue for ever.
std::optional<NodeName> parse_node_name(const QueueNames& names, std::string_view name);

/// Whether locks of another kind are among the children of a queue's path. Locks of different kinds do not exclude each other.
bool has_other_locks(const QueueNames& own, const std::vector<std::string>& children);

/// The ten digits at the end of a name that parse_node_name() can read.
std::string_view number_text(std::string_view name);

/// The last ten characters of a name of this queue with a number that is not negative; else empty. As texts, they have the
/// order of the numbers. This is much cheaper than parse_node_name().
std::string_view plain_number_text(const QueueNames& names, std::string_view name);

// The names of other libraries' nodes in a lock's queue.
//
//     name = anything token number

struct OtherNames {
    OtherContenders contenders;
    std::vector<QueueToken> tokens = {}; // with texts in `contenders`; the longest first, because a token may end with another
};

/// Returns null if there are none. For an invalid token, throws Error(server_error::bad_arguments), which names the lock at
/// `path`.
OtherNamesPtr make_other_names(OtherContenders contenders, std::string_view path);

// The owner of a lock: a line after the data of its node. split_owner() in docent/recipes/inspection.hpp reads it.

/// Whether the text is a valid owner: 1 to 200 printable ASCII characters without a space.
bool is_owner(std::string_view text) noexcept;

/// `data` with the owner after it.
std::string with_owner(std::string data, std::string_view owner);

} // namespace docent::detail
