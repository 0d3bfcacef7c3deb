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

/// Requests that a client sent in one step about one queue. The effect of the first answers may show only when all answers are
/// there.
struct Together {
    std::size_t step; // index of the step, among the steps with requests
    std::string queue;
    std::size_t owner; // the contender
    friend bool operator==(const Together&, const Together&) = default;
};

/// The events that a contender has heard and that have no visible effect yet. These are answers of a group of requests that is
/// not complete. If the contender's knowledge cannot be seen, these are its knowledge before its oldest open request, and all
/// events since.
class History {
public:
    /// `together`: the group of the answered request; null for other events.
    void hear(std::string_view text, std::optional<Together> together) {
        heard_.push_back({std::string(text), std::move(together)});
    }

    struct Step {
        std::uint64_t asked_before;          // requests of the client before the step
        std::optional<std::string> knows;    // after the step; nothing: cannot be seen
        std::optional<std::uint64_t> oldest; // number of the oldest open request after the step
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
    /// The contender will ignore everything from now on.
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
