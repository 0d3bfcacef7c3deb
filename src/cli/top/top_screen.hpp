// SPDX-License-Identifier: Apache-2.0
#pragma once

// The screen and the keys of `docent top`. Pure.

#include "cli/top/lock_rows.hpp"

#include <docent/recipes/inspection.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace docent::cli {

enum class Key { up, down, page_up, page_down, home, end, enter, escape, backspace, letter };

struct KeyPress {
    Key key = Key::letter;
    std::string text = {}; // the letter, in UTF-8
};

struct ScreenSize {
    std::size_t lines = 24;
    std::size_t columns = 80;
};

enum class Style { plain, titles, selected, free, warning, hint };

struct ScreenLine {
    std::string text = {};
    Style style = Style::plain;
    friend bool operator==(const ScreenLine&, const ScreenLine&) = default;
};

/// The data for one drawing.
struct TopFacts {
    std::string path;          // the top of the tree
    std::vector<LockRow> rows; // in any order
    Inspection queue;          // the queue at the open path
    std::string notice;        // for example, the result of a key
    std::string trouble;       // for example, that no server answers; else empty
    std::chrono::system_clock::time_point now;
};

/// An action that a key asks for.
struct TopWish {
    enum class What {
        quit,
        open,   // the queue at `path`
        close,  // the open queue
        revoke, // ask for the node at `path`
    } what;
    std::string path = {};
    friend bool operator==(const TopWish&, const TopWish&) = default;
};

class TopScreen {
public:
    explicit TopScreen(Charset charset) : charset_(charset) {}

    std::optional<TopWish> on_key(const KeyPress& pressed, const TopFacts& facts);
    /// Draws exactly as many lines as the screen has, none wider than the screen.
    std::vector<ScreenLine> draw(const TopFacts& facts, ScreenSize size);

private:
    enum class Mode { list, queue, help };

    std::vector<LockRow> visible_rows(const TopFacts& facts) const;
    std::size_t selected_row(const std::vector<LockRow>& rows) const;
    std::vector<std::string> nodes_of(const Inspection& queue) const;
    std::size_t selected_place(const std::vector<std::string>& nodes) const;
    std::optional<TopWish> on_letter(const std::string& letter, const TopFacts& facts);
    void move(const KeyPress& pressed, const TopFacts& facts);
    void filter_key(const KeyPress& pressed);
    std::optional<TopWish> answer(const KeyPress& pressed);
    std::optional<TopWish> open_selected(const TopFacts& facts);
    void ask_about(const TopFacts& facts);

    std::vector<ScreenLine> list_lines(const TopFacts& facts, ScreenSize size);
    std::vector<ScreenLine> queue_lines(const TopFacts& facts, ScreenSize size);
    ScreenLine bottom_line() const;
    /// The part of `lines` that fits and that contains the selected line.
    std::vector<ScreenLine> window(std::vector<ScreenLine> lines, std::size_t selected, std::size_t height);

    const Charset charset_;
    Mode mode_ = Mode::list;
    SortKey sort_ = SortKey::path;
    std::string filter_;
    bool filtering_ = false;                                      // keys go into the filter
    std::optional<std::pair<std::string, std::string>> question_; // a node, and its label
    std::string refusal_;                                         // why the last key did nothing
    std::string selected_path_;
    std::string selected_kind_;
    std::size_t selected_index_ = 0; // its index in the last drawing
    std::string open_path_;
    std::string selected_node_;
    std::size_t selected_place_ = 0;
    std::size_t first_shown_ = 0;
    std::size_t page_ = 10; // the number of lines for rows in the last drawing
};

} // namespace docent::cli
