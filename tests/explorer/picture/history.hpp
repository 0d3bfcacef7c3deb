// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::explorer {

/// Requests that a client made in one step about one queue: what is to be done about the answers to the first ones may be known
/// only when all are there.
struct Together {
    std::size_t step; // in which they were asked for, among those in which anything was
    std::string queue;
    std::size_t owner; // for whom
    friend bool operator==(const Together&, const Together&) = default;
};

/// What a contender has heard, as far as it cannot be seen what came of it: answers to requests that belong together, of which
/// one is not answered. If it cannot be told what it knows: what it knew when it asked the oldest thing to which it has no
/// answer, and all that it has heard since.
class History {
public:
    /// `together`: null if it was no answer.
    void hear(std::string_view text, std::optional<Together> together) {
        heard_.push_back({std::string(text), std::move(together)});
    }

    struct Step {
        std::uint64_t asked_before;          // requests of its client before the step
        std::optional<std::string> knows;    // after it; nothing: that cannot be seen
        std::optional<std::uint64_t> oldest; // the number of the oldest request that it waits for, after it
    };
    void end_step(Step step) {
        const bool is_same = heard_.empty() && !steps_.empty() && steps_.back().knew == step.knows;
        if (!is_same) steps_.push_back({step.asked_before, std::exchange(heard_, {}), std::move(step.knows)});
        for (std::size_t n = steps_.size(); n-- > 0;) {
            if (!steps_[n].knew || (step.oldest && *step.oldest <= steps_[n].asked_before)) continue;
            steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(n));
            steps_.front().heard.clear();
            return;
        }
    }
    /// It will do nothing about anything any more.
    void forget() { steps_.clear(); }

    void write_all(auto& out) const {
        if (!steps_.empty() && steps_.front().knew) out << *steps_.front().knew;
        for (const auto& step : steps_) {
            for (const auto& each : step.heard) out << each.text;
        }
    }
    void write_open(auto& out, const auto& is_open) const {
        for (const auto& step : steps_) {
            for (const auto& each : step.heard) {
                if (each.together && is_open(*each.together)) out << each.text;
            }
        }
    }

private:
    struct Heard {
        std::string text;
        std::optional<Together> together;
    };
    struct Past {
        std::uint64_t asked_before;
        std::vector<Heard> heard;
        std::optional<std::string> knew;
    };
    std::deque<Past> steps_;
    std::vector<Heard> heard_; // in the present step
};

} // namespace docent::explorer
