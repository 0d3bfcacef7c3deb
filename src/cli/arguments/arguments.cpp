// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/arguments.hpp"

#include "cli/arguments/usage_error.hpp"

#include <algorithm>

namespace docent::cli {
namespace {

bool looks_like_option(const std::string& word) {
    return word.size() > 1 && word.front() == '-';
}

struct OneOption {
    GivenOption given;
    std::size_t words; // how many it took
};

OneOption take_option(std::span<const std::string> words, std::span<const OptionSpec> known) {
    const std::string& word = words.front();
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto spec = std::find_if(known.begin(), known.end(), [&](const OptionSpec& s) { return s.name == name; });
    if (spec == known.end()) throw UsageError("unknown option " + name);

    if (spec->kind == OptionKind::flag) {
        if (equals != std::string::npos) throw UsageError("option " + name + " takes no value");
        return {{name, {}}, 1};
    }
    if (equals != std::string::npos) return {{name, word.substr(equals + 1)}, 1};
    if (words.size() < 2 || words[1] == "--") throw UsageError("option " + name + " needs a value");
    return {{name, words[1]}, 2};
}

} // namespace

Arguments scan_arguments(std::span<const std::string> words, std::span<const OptionSpec> known) {
    Arguments result;
    while (!words.empty()) {
        if (words.front() == "--") {
            result.after_dashes.emplace(words.begin() + 1, words.end());
            break;
        }
        if (looks_like_option(words.front())) {
            OneOption option = take_option(words, known);
            result.options.push_back(std::move(option.given));
            words = words.subspan(option.words);
        } else {
            result.positionals.push_back(words.front());
            words = words.subspan(1);
        }
    }
    return result;
}

std::size_t count_leading_options(std::span<const std::string> words, std::span<const OptionSpec> known) {
    std::size_t count = 0;
    while (count < words.size() && words[count] != "--" && looks_like_option(words[count])) {
        count += take_option(words.subspan(count), known).words;
    }
    return count;
}

} // namespace docent::cli
