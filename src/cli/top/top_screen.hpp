// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `docent top` shows, and what keys do: decides, and knows no terminal.

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
    std::string text = {}; // of a letter, in UTF-8
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

/// What is known when something is to be shown.
struct TopFacts {
    std::string path;          // below which it looks
    std::vector<LockRow> rows; // in any order
    Inspection queue;          // of the open path
    std::string notice;        // what has just happened, say
    std::string trouble;       // no server answers, say; empty without
    std::chrono::system_clock::time_point now;
};

/// What a key wants done.
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
    /// Exactly as many lines as the screen has, none longer than it is wide.
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
    /// The part of `lines` with the selected one in it that fits.
    std::vector<ScreenLine> window(std::vector<ScreenLine> lines, std::size_t selected, std::size_t height);

    const Charset charset_;
    Mode mode_ = Mode::list;
    SortKey sort_ = SortKey::path;
    std::string filter_;
    bool filtering_ = false;                                      // keys go into the filter
    std::optional<std::pair<std::string, std::string>> question_; // a node, and whose it is
    std::string refusal_;                                         // why the last key did nothing
    std::string selected_path_;
    std::string selected_kind_;
    std::size_t selected_index_ = 0; // where it was
    std::string open_path_;
    std::string selected_node_;
    std::size_t selected_place_ = 0;
    std::size_t first_shown_ = 0;
    std::size_t page_ = 10; // lines that the last drawing had for rows
};

} // namespace docent::cli
