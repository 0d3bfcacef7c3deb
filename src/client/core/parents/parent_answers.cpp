// SPDX-License-Identifier: Apache-2.0
#include "client/core/parents/parent_answers.hpp"

#include "base/doubt.hpp"

#include <algorithm>
#include <utility>

namespace docent::detail {

std::size_t ParentAnswers::add(std::string path) {
    answers_.push_back({std::move(path), std::nullopt});
    return answers_.size() - 1;
}

bool ParentAnswers::any_made() const {
    return std::any_of(answers_.begin(), answers_.end(), [](const Answer& answer) { return answer.ec && !*answer.ec; });
}

std::optional<ParentAnswers::Refusal> ParentAnswers::refusal() const {
    // The uppermost missing node: the ancestor before the first one that found no parent.
    const auto orphan = std::find_if(answers_.begin(), answers_.end(),
                                     [](const Answer& answer) { return answer.ec == error_code(server_error::no_node); });
    if (orphan == answers_.begin()) return std::nullopt;
    const Answer& missing = *std::prev(orphan);
    if (!missing.ec || !*missing.ec || *missing.ec == server_error::node_exists || is_lost(*missing.ec)) return std::nullopt;
    return Refusal{*missing.ec, missing.path};
}

} // namespace docent::detail
