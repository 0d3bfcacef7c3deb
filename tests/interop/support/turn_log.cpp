// SPDX-License-Identifier: Apache-2.0
#include "turn_log.hpp"

#include "eventually.hpp"
#include "integration/cli/docent_process.hpp"

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

#include <algorithm>
#include <cerrno>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace docent::test {

Turn Turn::parse(const std::string& text) {
    const auto colon = text.find(':');
    if (colon == std::string::npos) return {text};
    return {text.substr(0, colon), std::stoul(text.substr(colon + 1))};
}

Turns parse_turns(const std::string& text) {
    std::vector<std::string> words;
    boost::split(words, text, boost::is_any_of(","));
    Turns turns;
    for (const auto& word : words) turns.push_back(Turn::parse(word));
    return turns;
}

std::string to_text(const Turns& turns) {
    std::string text;
    for (const Turn& turn : turns) text += (text.empty() ? "" : ",") + turn.text();
    return text;
}

TurnLog::TurnLog(std::filesystem::path file)
    : file_(std::move(file)), descriptor_(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), file_);
}

TurnLog::~TurnLog() {
    ::close(descriptor_);
}

void TurnLog::append(const std::string& line) const {
    const std::string text = line + '\n';
    if (::write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        throw std::system_error(errno, std::generic_category(), file_);
    }
}

void TurnLog::await_entered(const Turn& turn) const {
    const auto is_there = [&] {
        const auto lines = lines_of(read_file(file_));
        const auto entered = std::count_if(lines.begin(), lines.end(),
                                           [&](const std::string& line) { return line.starts_with("enter " + turn.side); });
        return static_cast<std::size_t>(entered) >= turn.entered;
    };
    if (turn.entered > 0 && !eventually(is_there)) throw std::runtime_error("alone at " + turn.side);
}

namespace {

/// The names that are inside now, by side.
class Inside {
public:
    std::size_t count(const std::string& side) const {
        const auto found = names_.find(side);
        return found == names_.end() ? 0 : found->second.size();
    }
    /// Returns false if the name is inside already.
    bool add(const std::string& side, const std::string& name) { return names_[side].insert(name).second; }
    bool remove(const std::string& side, const std::string& name) { return names_[side].erase(name) > 0; }

    bool admits(const std::string& side, std::size_t permits) const {
        if (side == "mutex") return count("mutex") == 0;
        if (side == "read") return count("write") == 0;
        if (side == "write") return count("write") + count("read") == 0;
        return side == "permit" && count("permit") < permits;
    }
    std::string text() const {
        std::string all;
        for (const auto& [side, names] : names_) {
            for (const auto& name : names) all.append(" ").append(side).append(" ").append(name);
        }
        return all;
    }

private:
    std::map<std::string, std::set<std::string>> names_;
};

} // namespace

TurnReport check_turns(const std::vector<std::string>& lines, std::size_t permits) {
    TurnReport report;
    Inside inside;
    for (const auto& line : lines) {
        std::istringstream words(line);
        std::string what, side, name;
        words >> what >> side >> name;
        if (what == "enter") {
            if (!inside.admits(side, permits)) report.wrong.push_back(line + ", with inside:" + inside.text());
            if (!inside.add(side, name)) report.wrong.push_back(line + ", again");
            report.most_inside[side] = std::max(report.most_inside[side], inside.count(side));
        } else if (what == "leave" && inside.remove(side, name)) {
            ++report.turns[{name, side}];
        } else {
            report.wrong.push_back(line + ", out of nowhere");
        }
    }
    if (!inside.text().empty()) report.wrong.push_back("never left:" + inside.text());
    return report;
}

} // namespace docent::test
