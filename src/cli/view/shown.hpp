// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/recipes/inspection.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// An age in at most six columns, for tables: `0s`, `59s`, `4m10s`, `2h05m`, `3d04h`, `400d`. A negative age, from clocks that
/// differ, is `0s`.
std::string short_age(std::chrono::milliseconds age);

/// An age in one unit, for messages: `2h`, `15m`, `3s`, `20ms`.
std::string to_age(std::chrono::milliseconds age);

/// The age of a node by this machine's clock. `created`: its time on the servers' clock, in milliseconds since 1970.
std::chrono::milliseconds age_at(std::chrono::system_clock::time_point now, long long created);

/// A warning for a path with nodes of several kinds of lock, which ignore each other. Empty with one kind. `kinds`: their names
/// in the order of the queues; a name may occur several times.
std::string mixture_text(const std::vector<std::string>& kinds);

inline bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether the session, the token and the time of the participant are known. A server may refuse them with the node's data.
inline bool has_stat(const Participant& one) {
    return one.readable || one.fencing_token != 0;
}

/// Stands in place of the label of a node that the client may not read.
inline constexpr std::string_view unreadable_label = "(may not be read)";

inline bool is_at_gate(const Participant& one) {
    return one.recipe == RecipeKind::semaphore && one.kind == ParticipantKind::lock;
}

/// Whether the participant holds the lock or a permit. The first at a semaphore's gate does not hold a permit yet.
inline bool has_turn(const Participant& one) {
    return one.holds && !is_at_gate(one);
}

/// Whether the participant at the gate has reserved this lease, while it waits for more permits (Participant::holds). A permit
/// that another thread of its session holds looks the same, unless owners tell the threads apart.
inline bool is_reserved(const Participant& lease, const Participant& at_gate) {
    const bool others = !lease.owner.empty() && !at_gate.owner.empty() && lease.owner != at_gate.owner;
    return lease.session_id == at_gate.session_id && lease.fencing_token > at_gate.fencing_token && !others;
}

/// Whether the first participant at the gate has reserved the lease `one`.
inline bool is_reserved(const Participant& one, const std::vector<Participant>& all) {
    return one.kind == ParticipantKind::lease && one.session_id != 0 &&
           std::any_of(all.begin(), all.end(), [&](const Participant& other) {
               return is_at_gate(other) && other.position == 0 && is_reserved(one, other);
           });
}

// Makes texts from nodes safe for a terminal, which obeys control characters. Pure.

/// The characters that a terminal can show.
enum class Charset { ascii, utf8 };

/// Replaces control characters, marks of writing direction, other invisible characters, and bytes that are not UTF-8 by `?`.
/// With Charset::ascii, replaces all characters that are not ASCII.
std::string shown(std::string_view text, Charset charset);

/// The request to release a lock, in the data of the holder's node: alone, as Curator writes it, or in front of a line end and
/// the label.
inline constexpr std::string_view revocation_request = "__REVOKE__";
bool was_asked_for(std::string_view label) noexcept;
/// The label after a request; empty without a label.
std::string_view without_request(std::string_view label) noexcept;

/// shown() for a label, with a note in front if the holder was asked to release the lock.
std::string shown_label(std::string_view label, Charset charset);

/// The number of columns of a text that shown() has made.
std::size_t columns_of(std::string_view text) noexcept;

/// The beginning of a text that shown() has made, in at most `columns`. A mark at the end shows that the text was cut.
std::string cut(std::string_view text, std::size_t columns, Charset charset);

/// The end of such a text, with the mark in front.
std::string cut_in_front(std::string_view text, std::size_t columns, Charset charset);

/// Adds blanks, at the end or in front. Longer texts stay unchanged.
std::string left_aligned(std::string text, std::size_t columns);
std::string right_aligned(const std::string& text, std::size_t columns);

} // namespace docent::cli
