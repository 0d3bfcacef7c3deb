// SPDX-License-Identifier: Apache-2.0
#include "checker/checks.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <utility>

namespace docent::chaos {
namespace {

constexpr Time around = 12'000'000'000; // for events of the nemesis
constexpr std::size_t longest = 120;

bool belongs(const Violation& violation, const std::string& process, Time time, const std::string& kind,
             const std::string& first_field) {
    const bool near = time > violation.from - around && time < violation.to + around / 4;
    if (process == "nemesis") return near;
    const auto is_its = [&](const Work& work) { return work.process == process; };
    const auto own = std::find_if(violation.works.begin(), violation.works.end(), is_its);
    if (own == violation.works.end()) return false;
    if (kind == "session" || kind == "start") return near;
    return std::any_of(violation.works.begin(), violation.works.end(),
                       [&](const Work& work) { return is_its(work) && first_field == std::to_string(work.number); });
}

} // namespace

std::vector<std::string> story_of(const Violation& violation, const std::filesystem::path& folder) {
    std::vector<std::pair<Time, std::string>> lines;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".history") continue;
        const std::string process = entry.path().stem().string();
        std::ifstream in(entry.path());
        for (std::string line; std::getline(in, line);) {
            std::istringstream words(line);
            Time time = 0;
            std::string kind;
            std::string first;
            words >> time >> kind >> first;
            if (!belongs(violation, process, time, kind, first)) continue;
            std::ostringstream text;
            text << std::fixed << std::setprecision(3) << std::setw(12) << static_cast<double>(time - violation.from) / 1e6
                 << "  " << std::left << std::setw(8) << process << ' ' << line.substr(line.find(' ') + 1);
            lines.emplace_back(time, text.str());
        }
    }
    std::stable_sort(lines.begin(), lines.end(), [](auto& a, auto& b) { return a.first < b.first; });
    if (lines.size() > longest) lines.erase(lines.begin(), lines.end() - longest);
    std::vector<std::string> story;
    for (auto& line : lines) story.push_back(std::move(line.second));
    return story;
}

} // namespace docent::chaos
