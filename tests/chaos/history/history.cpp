// SPDX-License-Identifier: Apache-2.0
#include "history/history.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace docent::chaos {
namespace {

std::vector<std::string> words_of(std::string_view text) {
    std::istringstream in{std::string(text)};
    return {std::istream_iterator<std::string>(in), {}};
}

std::string rest_of(const std::vector<std::string>& words, std::size_t from) {
    std::string text;
    for (std::size_t i = from; i < words.size(); ++i) text += (text.empty() ? "" : " ") + words[i];
    return text;
}

std::int64_t number(const std::string& word) {
    std::size_t used = 0;
    const std::int64_t value = std::stoll(word, &used);
    if (used != word.size()) throw std::invalid_argument(word);
    return value;
}

} // namespace

Mode Mode::parse(std::string_view text) {
    constexpr std::string_view permit = "permit:";
    if (text == "exclusive") return {Kind::exclusive, 1};
    if (text == "shared") return {Kind::shared, 1};
    if (!text.starts_with(permit)) throw std::invalid_argument("mode " + std::string(text));
    return {Kind::permit, static_cast<std::size_t>(number(std::string(text.substr(permit.size()))))};
}

Time calm_until(const History& history, Time healed) {
    const auto storm = std::upper_bound(history.stricken.begin(), history.stricken.end(), healed);
    return storm == history.stricken.end() ? history.end : *storm;
}

std::optional<Time> first_owned(const History& history, const std::string& resource, Time since) {
    std::optional<Time> first;
    for (const Hold& hold : history.holds) {
        if (hold.resource != resource || hold.first_yes == 0 || hold.last_yes < since) continue;
        const Time owned = std::max(hold.first_yes, since);
        first = std::min(first.value_or(owned), owned);
    }
    return first;
}

void Reader::read(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".history") continue;
        Place& place = places_[entry.path()];
        std::ifstream in(entry.path(), std::ios::binary);
        in.seekg(static_cast<std::streamoff>(place.offset));
        std::string text{std::istreambuf_iterator<char>(in), {}};
        place.offset += text.size();
        text.insert(0, place.rest);
        std::size_t begin = 0;
        for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
            line(entry.path().stem().string(), std::string_view(text).substr(begin, end - begin));
        }
        place.rest = text.substr(begin);
    }
}

void Reader::line(const std::string& process, std::string_view text) {
    try {
        const std::vector<std::string> words = words_of(text);
        if (words.size() < 2) throw std::invalid_argument("too short");
        const Time time = number(words[0]);
        history_.end = std::max(history_.end, time);
        ++history_.events[words[1]];
        other_event(process, time, words);
        work_event(process, time, words);
    } catch (const std::exception& e) {
        history_.unreadable.push_back(process + ": " + std::string(text) + " (" + e.what() + ')');
    }
}

/// Handles events that belong to no work, or to a work without a hold.
void Reader::other_event(const std::string& process, Time time, const std::vector<std::string>& words) {
    const std::string& kind = words[1];
    if (kind == "idle") history_.idles.push_back({process, time, number(words.at(2)), number(words.at(3))});
    else if (kind == "healed") history_.healed.push_back(time);
    else if (kind == "storm") history_.stricken.push_back(time);
    else if (kind == "fault") {
        ++history_.faults[words.at(2)];
        history_.strikes.push_back(time);
    } else if (kind == "deleting") history_.deleted.emplace(words.at(2), time);
    else if (kind == "closing") history_.closed_sessions[number(words.at(2))] = time;
    else if (kind == "wall") history_.wall[number(words.at(2))] = number(words.at(2)) - time;
    else if (kind == "timeout") history_.session_timeout = number(words.at(2)) * 1'000'000;
    else if (kind == "revoke" && words.at(3) == "well") history_.revocations.push_back({time, words.at(2)});
    else if (kind == "curator") history_.curators.insert(process);
    else if (kind == "broken") history_.broken.push_back(process + ": " + rest_of(words, 2));
    else if (kind == "resource") history_.resources.insert(words.at(2));
    else if (kind == "item") history_.items.insert(words.at(2));
    else if (kind == "renew") history_.renewals[process].insert(time);
    else if (kind == "counter") history_.counter = number(words.at(2));
    else if (kind == "waiting") history_.waiting.push_back(rest_of(words, 2));
    else if (kind == "left") history_.left.push_back(rest_of(words, 2));
    else if (kind == "corrupt") history_.corrupt.emplace(time, rest_of(words, 2));
    else if (kind == "back")
        history_.set_backs.push_back({time, number(words.at(2)), number(words.at(3)), number(words.at(4))});
    else if (kind == "failed") ++history_.failures[rest_of(words, 3)];
    else if (kind == "store") {
        history_.store_writes.push_back(
            {{words.at(5), number(words.at(2))}, words.at(3), number(words.at(4)), words.at(6) == "accepted"});
    }
}

void Reader::work_event(const std::string& process, Time time, const std::vector<std::string>& words) {
    const std::string& kind = words[1];
    const auto work = [&] { return Work{process, number(words.at(2))}; };
    const auto each_hold = [&](auto change) {
        for (const std::size_t i : holds_[work()]) change(history_.holds[i]);
    };
    const auto last_commit = [&]() -> Commit& { return history_.commits[commits_.at(work())]; };
    if (kind == "granted") {
        holds_[work()].push_back(history_.holds.size());
        history_.grants[words.at(3)].insert(time);
        history_.holds.push_back({.work = work(),
                                  .resource = words.at(3),
                                  .mode = Mode::parse(words.at(4)),
                                  .token = number(words.at(5)),
                                  .node = words.at(6) == "-" ? "" : words.at(6),
                                  .number = words.size() > 7 ? number(words[7]) : 0,
                                  .granted = time,
                                  .by_curator = history_.curators.contains(process)});
    } else if (kind == "yes" || kind == "still") {
        each_hold([&](Hold& hold) {
            if (hold.first_yes == 0) hold.first_yes = time;
            hold.last_yes = time;
        });
    } else if (kind == "lost" || kind == "released") {
        each_hold([&](Hold& hold) {
            if (hold.end != End::open) return;
            hold.end = kind == "lost" ? End::lost : End::released;
            hold.ended = time;
        });
    } else if (kind == "revocable") {
        each_hold([&](Hold& hold) { hold.revocable = time; });
    } else if (kind == "asked-for") {
        each_hold([](Hold& hold) { hold.asked_for = true; });
    } else if (kind == "begin") {
        commits_[work()] = history_.commits.size();
        history_.commits.push_back({.work = work(), .begun = time, .value = number(words.at(3))});
    } else if (kind == "committed") {
        last_commit().outcome = Outcome::committed;
        last_commit().zxid = number(words.at(4));
    } else if (kind == "refused") {
        last_commit().outcome = Outcome::refused;
    }
}

} // namespace docent::chaos
