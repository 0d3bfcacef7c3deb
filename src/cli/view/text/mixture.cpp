// SPDX-License-Identifier: Apache-2.0
#include "cli/view/text/mixture.hpp"

#include <algorithm>

namespace docent::cli {

std::string mixture_text(const std::vector<std::string>& kinds) {
    std::vector<std::string> different;
    for (const std::string& kind : kinds) {
        if (std::find(different.begin(), different.end(), kind) == different.end()) different.push_back(kind);
    }
    if (different.size() < 2) return {};
    std::string text = different.front();
    for (std::size_t i = 1; i < different.size(); ++i) text += (i + 1 < different.size() ? ", " : " and ") + different[i];
    return text + " are at one path: they do not exclude each other";
}

} // namespace docent::cli
