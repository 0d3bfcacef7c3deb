// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace docent::detail {

/// What the servers answered to the creates of a node's ancestors, which go out from the top, right before the node's own
/// create. Tells whether it makes sense to try again when that create found no parent. Pure.
///
/// A server refuses a create below a node that does not allow it with `no_auth`, whether there is a node of that name or not.
/// So a refused ancestor is missing if, and only if, what was to be made in it found no parent.
class ParentAnswers {
public:
    struct Refusal {
        error_code ec;
        std::string path; // of the ancestor that is missing and may not be made
        friend bool operator==(const Refusal&, const Refusal&) = default;
    };

    /// The next ancestor; its number.
    std::size_t add(std::string path);
    void on_answer(std::size_t number, const error_code& ec) { answers_.at(number).ec = ec; }

    /// Whether any of them was made.
    bool any_made() const;
    /// If what was to be made in the last of them found no parent: why, if it would be so again. Nothing if it is worth another
    /// try: an empty container was reaped meanwhile, or an answer was lost.
    std::optional<Refusal> refusal() const;

private:
    struct Answer {
        std::string path;
        std::optional<error_code> ec; // once it is there
    };
    std::vector<Answer> answers_;
};

} // namespace docent::detail
