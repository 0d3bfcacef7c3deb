// SPDX-License-Identifier: Apache-2.0
#include "choices.hpp"
#include "search.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace docent::explorer {
namespace {

using Path = std::vector<Choices::Choice>;
using CheckClock = std::chrono::steady_clock;

class PictureCheck {
public:
    PictureCheck(const Plan& plan, const Bounds& bounds, std::uint64_t one_in)
        : plan_(plan), bounds_(bounds), one_in_(one_in) {}

    Comparison run() {
        const auto end = CheckClock::now() + bounds_.time;
        run(false, end);
        const auto seen_first = paths_.size();
        if (is_going_on()) run(true, end);
        if (is_going_on() && seen_.size() != seen_first) tell_unseen();
        result_.states = paths_.size();
        return result_;
    }

private:
    bool is_going_on() const { return result_.difference.empty() && result_.unfinished.empty(); }
    void run(bool reversed, CheckClock::time_point end) {
        choices_ = Choices(reversed);
        seen_.clear();
        do {
            choices_.begin_again();
            walk(reversed);
            if (CheckClock::now() > end) result_.unfinished = "time is over";
        } while (is_going_on() && choices_.advance());
    }
    void tell_unseen() {
        result_.difference = "in the reverse order only " + std::to_string(seen_.size()) + " states are seen\n";
        const auto unseen =
            std::find_if(paths_.begin(), paths_.end(), [&](const auto& each) { return !seen_.contains(each.first); });
        if (unseen != paths_.end()) result_.difference += "NOT THIS ONE\n" + story(unseen->second) + at(unseen->second).picture;
    }
    SmallWorld begin(Choices& choices) const {
        return {plan_, bounds_.faults, [&choices](std::size_t bound) { return choices.choose(bound); }, bounds_.reductions};
    }
    void walk(bool reversed) {
        SmallWorld world = begin(choices_);
        while (result_.difference.empty()) {
            const auto steps = world.steps();
            if (steps.empty()) return;
            const bool old = choices_.repeats();
            const auto position = static_cast<std::ptrdiff_t>(choices_.position());
            world.take(steps[choices_.choose(steps.size())]);
            if (old && choices_.repeats()) continue;
            const auto fingerprint = world.fingerprint();
            const auto path = choices_.as_taken();
            const auto [first, unknown] = paths_.try_emplace(fingerprint, path);
            if (unknown && reversed) { // the state before differs from the first state with its picture
                const Path before(path.begin(), path.begin() + position);
                compare(paths_.at(at(before).fingerprint), before);
            } else if (!unknown && fingerprint % one_in_ == 0) {
                compare(first->second, path);
            }
            if (!seen_.insert(fingerprint).second) return;
        }
    }

    /// Returns the states after one more step, by fingerprint, with a path to each. Two steps may lead to the same state.
    std::map<std::uint64_t, Path> next_of(const Path& path) const {
        std::map<std::uint64_t, Path> next;
        Choices choices;
        choices.repeat(path);
        do {
            choices.begin_again();
            SmallWorld world = begin(choices);
            while (choices.repeats() && choices.position() < path.size()) take_one(world, choices);
            const auto steps = world.steps();
            if (steps.empty()) break;
            world.take(steps[choices.choose(steps.size())]);
            next.emplace(world.fingerprint(), choices.path());
        } while (choices.advance() && choices.path().size() > path.size());
        return next;
    }
    static void take_one(SmallWorld& world, Choices& choices) {
        const auto steps = world.steps();
        world.take(steps[choices.choose(steps.size())]);
    }

    void compare(const Path& one, const Path& other) {
        ++result_.compared;
        const auto after_one = next_of(one);
        const auto after_other = next_of(other);
        const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
        if (std::equal(after_one.begin(), after_one.end(), after_other.begin(), after_other.end(), same)) return;
        result_.difference = "ONE\n" + story(one) + "THE OTHER\n" + story(other) + at(one).picture;
        add_lacking("ONLY AFTER ONE\n", after_one, after_other);
        add_lacking("ONLY AFTER THE OTHER\n", after_other, after_one);
    }
    void add_lacking(const std::string& title, const std::map<std::uint64_t, Path>& here,
                     const std::map<std::uint64_t, Path>& there) {
        for (const auto& [fingerprint, path] : here) {
            if (there.contains(fingerprint)) continue;
            const auto all = story(path);
            result_.difference += title + all.substr(all.rfind("        ")) + at(path).picture;
        }
    }
    std::string story(const Path& path) const {
        std::string text;
        Choices choices;
        choices.repeat(path);
        for (SmallWorld world = begin(choices); choices.repeats();) {
            const auto steps = world.steps();
            const auto& step = steps[choices.choose(steps.size())];
            text += "        " + world.text_of(step) + "\n";
            world.take(step);
        }
        return text;
    }
    struct Seen {
        std::string picture;
        std::uint64_t fingerprint;
    };
    Seen at(const Path& path) const {
        Choices choices;
        choices.repeat(path);
        SmallWorld world = begin(choices);
        while (choices.repeats()) take_one(world, choices);
        return {world.picture(), world.fingerprint()};
    }

    const Plan& plan_;
    const Bounds& bounds_;
    const std::uint64_t one_in_;
    Choices choices_;
    std::unordered_map<std::uint64_t, Path> paths_; // the first path to each state
    std::unordered_set<std::uint64_t> seen_;        // in the present order
    Comparison result_;
};

} // namespace

Comparison compare_pictures(const Plan& plan, const Bounds& bounds, std::uint64_t one_in) {
    return PictureCheck(plan, bounds, one_in).run();
}

} // namespace docent::explorer
