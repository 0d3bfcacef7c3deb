// SPDX-License-Identifier: Apache-2.0
#pragma once

// Texts of other people on a terminal, which obeys what it is sent. Pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace docent::cli {

/// What a terminal can show.
enum class Charset { ascii, utf8 };

/// `text` so that a terminal only shows it: control characters, marks of writing direction and others that nobody sees become
/// `?`, bytes that are no UTF-8 too; without UTF-8, everything but ASCII.
std::string shown(std::string_view text, Charset charset);

/// What a request to release a lock writes into the holder's node: alone, as Curator does, or before a line end and the label.
inline constexpr std::string_view revocation_request = "__REVOKE__";
bool was_asked_for(std::string_view label) noexcept;
/// The label behind a request; empty if there is none.
std::string_view without_request(std::string_view label) noexcept;

/// The same of a label, behind a remark if the holder was asked to release the lock.
std::string shown_label(std::string_view label, Charset charset);

/// How many columns a text takes that shown() has made.
std::size_t columns_of(std::string_view text) noexcept;

/// The beginning of what shown() has made, in at most `columns`; if something is left out, a mark at the end says so.
std::string cut(std::string_view text, std::size_t columns, Charset charset);

/// The same of its end, with the mark in front.
std::string cut_in_front(std::string_view text, std::size_t columns, Charset charset);

/// Filled up with blanks, behind or in front; longer ones stay as they are.
std::string left_aligned(std::string text, std::size_t columns);
std::string right_aligned(const std::string& text, std::size_t columns);

} // namespace docent::cli
