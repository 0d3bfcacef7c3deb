// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace docent::explorer {

/// The decisions on the way from the beginning to a state. A world cannot be copied, but it is a function of its choices. To
/// return to a state, a search begins again and repeats the choices.
class Choices {
public:
    /// `reversed`: takes the last possibility first. Two searches that share their visited states meet in the middle if one of
    /// them is reversed.
    explicit Choices(bool reversed = false) : reversed_(reversed) {}

    std::size_t choose(std::size_t bound) {
        if (position_ == path_.size()) path_.push_back({0, static_cast<std::uint16_t>(bound)});
        const Choice& made = path_[position_++];
        return reversed_ ? made.bound - 1u - made.taken : made.taken;
    }
    void begin_again() { position_ = 0; }
    /// Continues from a restored state, which `position` choices led to.
    void go_on_from(std::size_t position) { position_ = position; }
    void reserve(std::size_t length) { path_.reserve(length); }
    /// Returns true if the next choice was made before.
    bool repeats() const { return position_ < path_.size(); }
    std::size_t position() const { return position_; }
    /// Moves to the nearest possibility that was not taken yet. Returns false if there is none.
    bool advance() {
        path_.resize(position_); // drop the choices behind the last position
        while (!path_.empty() && path_.back().taken + 1u == path_.back().bound) path_.pop_back();
        if (path_.empty()) return false;
        ++path_.back().taken;
        return true;
    }

    struct Choice {
        std::uint16_t taken;
        std::uint16_t bound;
    };
    const std::vector<Choice>& path() const { return path_; }
    /// Returns the path for a search that is not reversed.
    std::vector<Choice> as_taken() const {
        auto path = path_;
        for (auto& choice : path) {
            if (reversed_) choice.taken = static_cast<std::uint16_t>(choice.bound - 1u - choice.taken);
        }
        return path;
    }
    void repeat(std::vector<Choice> path) {
        path_ = std::move(path);
        position_ = 0;
    }

private:
    bool reversed_;
    std::vector<Choice> path_;
    std::size_t position_ = 0;
};

} // namespace docent::explorer
