// SPDX-License-Identifier: Apache-2.0
#pragma once

// The names of all nodes that recipes make, docent's and Curator's (wire-format.md): this is their only grammar.
//
//     name = [ "_c_" guid "-" ] token number
//     number = ten digits, or "-" and ten digits: what the server writes for a number of 32 bits when it counts beyond the last

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace docent::detail {

class OtherNames;
using OtherNamesPtr = std::shared_ptr<const OtherNames>;

enum class ContenderKind { exclusive, shared };

/// The text in front of the sequence number, and what it says of its contender.
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

/// How one recipe names the nodes of its queue: by one token or several.
class QueueNames {
public:
    explicit QueueNames(const QueueToken& token) : tokens_(&token, 1) {}
    explicit QueueNames(std::span<const QueueToken> tokens) : tokens_(tokens) {}
    /// The same, and other libraries' beside them; none if null.
    QueueNames beside(OtherNamesPtr others) const;

    std::span<const QueueToken> tokens() const { return tokens_; }
    std::span<const QueueToken> other_tokens() const;

private:
    std::span<const QueueToken> tokens_; // of static lifetime
    OtherNamesPtr others_;
};

/// Whether a contender of this queue with this token in its name keeps all others out.
bool is_exclusive(const QueueNames& names, std::string_view token);

QueueNames mutex_names();
QueueNames read_write_names();
QueueNames lease_names();
QueueNames latch_names();
/// Those of the nodes that somebody holds a lock or a permit by.
QueueNames names_of_all_locks();

// What a semaphore makes below its path.
inline constexpr auto gate_name = "locks";    // a mutex: who holds it may take permits
inline constexpr auto leases_name = "leases"; // a node for each permit that is taken

/// The server counts a parent's children up to this number and stays there: it gives it to all that come later, and to several
/// that are made at once the negative ones that follow it.
inline constexpr std::int32_t last_number = std::numeric_limits<std::int32_t>::max();
/// Whether a number tells who came first.
constexpr bool is_usable(std::int32_t number) {
    return number >= 0 && number < last_number;
}

/// A name, read.
struct NodeName {
    std::string_view guid; // empty: the node was made without protection, or by another library
    QueueToken token;      // of another library's node: valid for as long as the names that it was read by
    std::int32_t number;   // that the server appended
    friend bool operator==(const NodeName&, const NodeName&) = default;
};

/// Nothing for every other name: a stray child must not block a queue for ever.
std::optional<NodeName> parse_node_name(const QueueNames& names, std::string_view name);

/// Whether locks of another kind are among the children of a queue's path: neither takes notice of the other.
bool has_other_locks(const QueueNames& own, const std::vector<std::string>& children);

/// The ten digits at the end of a name that parse_node_name() can read.
std::string_view number_text(std::string_view name);

/// Where the name ends as one of this queue with a number that is not negative: its ten last characters, which are in the order
/// of these numbers as texts, if they are digits. Else empty. That is far less work than to read the name.
std::string_view plain_number_text(const QueueNames& names, std::string_view name);

} // namespace docent::detail
