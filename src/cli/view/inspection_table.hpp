// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who holds and who waits, for people at a terminal. Pure.

#include "cli/view/text/shown.hpp"

#include <docent/recipes/inspection.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// How a terminal is written to.
struct Page {
    std::size_t columns = 80;
    Charset charset = Charset::utf8;
    bool colours = false;
};

/// Whom `participants[index]` waits for: the place of it in the list. Nothing for who holds, and for the first at a semaphore's
/// gate, which waits for permits.
std::optional<std::size_t> waits_for(const std::vector<Participant>& participants, std::size_t index);

/// `holds`, `reserved`, `waits for 3` or `waits for permits`.
std::string state_text(const std::vector<Participant>& participants, std::size_t index);

/// What is to be said if those at one path take no notice of each other, as they are of several recipes; else empty.
std::string mixture_of(const std::vector<Participant>& participants);

/// A line for each participant, aligned, below a heading for each queue; the strangers behind them, of which `locks` are known
/// to be locks of their own. A node's path is never cut: it is what revoke and break are told; where a line has no room for it,
/// it has the next one for itself.
std::string inspection_table(const Inspection& inspection, std::string_view path, std::chrono::system_clock::time_point now,
                             const Page& page, const std::vector<std::string>& locks = {});

/// The same without headings, nodes and strangers: a line of titles, and one for each participant.
std::vector<std::string> participant_lines(const std::vector<Participant>& participants,
                                           std::chrono::system_clock::time_point now, const Page& page);

} // namespace docent::cli
