// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace docent::detail {

/// The answers to the creates of a node's ancestors. These go out from the top, right before the node's own create. If that
/// create finds no parent, this object decides whether another try makes sense. Pure.
///
/// If a node forbids creates below it, a server answers `no_auth`, whether the child exists or not. So a refused ancestor is
/// missing if, and only if, the create below it found no parent.
class ParentAnswers {
public:
    struct Refusal {
        error_code ec;
        std::string path; // the ancestor that is missing and may not be created
        friend bool operator==(const Refusal&, const Refusal&) = default;
    };

    /// Adds the next ancestor. Returns its number.
    std::size_t add(std::string path);
    void on_answer(std::size_t number, const error_code& ec) { answers_.at(number).ec = ec; }

    /// Whether an ancestor was created.
    bool any_made() const;
    /// Call it if the create below the last ancestor found no parent. Returns the reason if another try would fail as well.
    /// Returns nothing if another try makes sense: a server has removed an empty container meanwhile, or an answer was lost.
    std::optional<Refusal> refusal() const;

private:
    struct Answer {
        std::string path;
        std::optional<error_code> ec; // set by the answer
    };
    std::vector<Answer> answers_;
};

} // namespace docent::detail
