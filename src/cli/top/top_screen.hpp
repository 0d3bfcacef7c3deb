// SPDX-License-Identifier: Apache-2.0
#pragma once

// The screen and the keys of `docent top`. Pure.

#include "cli/top/lock_rows.hpp"

#include <docent/recipes/inspection.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
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
        open,   // the queue at `path`; an empty path closes the open queue
        revoke, // ask the holder with the node `path` to release its lock
    } what;
    std::string path = {};
    friend bool operator==(const TopWish&, const TopWish&) = default;
};

/// The chosen line of a list. It stays chosen when other lines come and go.
class Selection {
public:
    /// The name of a line, in two parts. The line stays the same when its second part changes.
    using Name = std::pair<std::string, std::string>;

    /// The index of the chosen line. If it has gone: of a line with the same first part, or of the line in its place.
    std::size_t index_in(const std::vector<Name>& lines) const;
    void choose(const std::vector<Name>& lines, std::size_t index);

private:
    Name name_;
    std::size_t index_ = 0; // at the last choice
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
    std::vector<Selection::Name> names_of_nodes(const Inspection& queue) const;
    std::optional<TopWish> on_letter(const std::string& letter, const TopFacts& facts);
    void move(Key key, const TopFacts& facts);
    void filter_key(const KeyPress& pressed);
    std::optional<TopWish> answer(const KeyPress& pressed);
    std::optional<TopWish> open_selected(const TopFacts& facts);
    void ask_about(const TopFacts& facts);

    std::vector<ScreenLine> list_lines(const TopFacts& facts, ScreenSize size);
    std::vector<ScreenLine> queue_lines(const TopFacts& facts, ScreenSize size);
    ScreenLine bottom_line() const;
    /// `head`, and the part of `lines` that fits below and that contains the selected line.
    std::vector<ScreenLine> window(const std::vector<ScreenLine>& head, std::vector<ScreenLine> lines, std::size_t selected,
                                   ScreenSize size);

    const Charset charset_;
    Mode mode_ = Mode::list;
    SortKey sort_ = SortKey::path;
    std::string filter_;
    bool filtering_ = false;                                      // keys go into the filter
    std::optional<std::pair<std::string, std::string>> question_; // a node, and its label
    std::string refusal_;                                         // why the last key did nothing
    Selection row_;                                               // by path and kind
    std::string open_path_;
    Selection node_; // of the open queue
    std::size_t first_shown_ = 0;
    std::size_t page_ = 10; // the number of lines for rows in the last drawing
};

} // namespace docent::cli
