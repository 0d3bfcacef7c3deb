// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes texts from nodes safe for a terminal, which obeys control characters. Pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace docent::cli {

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
