// SPDX-License-Identifier: Apache-2.0
#include "names/other_names.hpp"

#include <docent/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace docent::detail {

OtherNames::OtherNames(OtherContenders contenders) : contenders_(std::move(contenders)) {
    for (const auto& text : contenders_.exclusive) tokens_.push_back({text, ContenderKind::exclusive});
    for (const auto& text : contenders_.shared) tokens_.push_back({text, ContenderKind::shared});
    std::stable_sort(tokens_.begin(), tokens_.end(),
                     [](const QueueToken& a, const QueueToken& b) { return a.text.size() > b.text.size(); });
}

OtherNamesPtr make_other_names(OtherContenders contenders, std::string_view path) {
    if (contenders == OtherContenders{}) return nullptr;
    auto names = std::make_shared<const OtherNames>(std::move(contenders));
    for (const QueueToken& token : names->tokens()) {
        if (token.text.empty() || token.text.find('/') != std::string_view::npos) {
            throw Error(server_error::bad_arguments,
                        "lock " + std::string(path) + ": '" + std::string(token.text) + "' is no token of other contenders");
        }
    }
    return names;
}

} // namespace docent::detail
