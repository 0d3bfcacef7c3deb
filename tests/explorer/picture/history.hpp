// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace docent::explorer {

/// What a contender has heard, as far as it cannot be seen what came of it. What it knew after a step says all, but what it
/// will do about the answers to what it had asked before: so it is enough to know what it knew when it asked the oldest of
/// that, and what it has heard since.
class History {
public:
    void hear(std::string_view text) { heard_ += text; }

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

    void write(auto& out) const {
        if (!steps_.empty() && steps_.front().knew) out << *steps_.front().knew;
        for (const auto& step : steps_) out << step.heard;
    }

private:
    struct Past {
        std::uint64_t asked_before;
        std::string heard;
        std::optional<std::string> knew;
    };
    std::deque<Past> steps_;
    std::string heard_; // in the present step
};

} // namespace docent::explorer
