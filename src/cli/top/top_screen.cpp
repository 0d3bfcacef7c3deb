// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_screen.hpp"

#include "cli/view/inspection_table.hpp"

#include <docent/path.hpp>
#include <docent/recipes/revocation.hpp>

#include <algorithm>

namespace docent::cli {
namespace {

constexpr std::size_t longest_filter = 200;

constexpr std::string_view help_lines[] = {
    "arrows, Page up and down, Home, End   choose a line",
    "Enter      the queue of that lock: its holders, its waiters, their waits",
    "Esc        back; ends a filter",
    "s          sort by path, waiters, age, oldest waiter, turns",
    "/          show only lines with a text in path, kind or holder",
    "r          ask the holder, or the chosen participant of a queue, to give it up",
    "h or ?     this page",
    "q          quit",
    "",
    "HOLD       holders / how many may hold at once (-: no limit, or not known)",
    "AGE        of the first holder's node, so with the time that the holder waited",
    "OLDEST     age of the first waiter's node",
    "TURNS/MIN  turns that ended in the last minute",
    "STRANGERS  nodes there that no recipe has made",
};

bool is(const KeyPress& pressed, std::string_view letter) {
    return pressed.key == Key::letter && pressed.text == letter;
}

/// The index of the chosen line after a key. `at`: the index before the key; `count`: the number of lines; `page`: of lines on
/// a page.
std::size_t moved(Key key, std::size_t at, std::size_t count, std::size_t page) {
    if (count == 0) return 0;
    const std::size_t last = count - 1;
    switch (key) {
    case Key::up: return at > 0 ? at - 1 : 0;
    case Key::down: return std::min(at + 1, last);
    case Key::page_up: return at > page ? at - page : 0;
    case Key::page_down: return std::min(at + page, last);
    case Key::home: return 0;
    case Key::end: return last;
    default: return std::min(at, last);
    }
}

/// The row's path and holder, if its line has no room for them.
std::string whole_of(const LockRow& row, std::string_view line, Charset charset) {
    const std::string path = shown(row.path, charset);
    const std::string holder = row.holders > 0 && row.label ? shown_label(*row.label, charset) : std::string();
    const bool fits = line.find(path) != line.npos && line.find(holder) != line.npos;
    return fits ? std::string() : path + (holder.empty() ? "" : "  held by " + holder);
}

std::vector<Selection::Name> names_of_rows(const std::vector<LockRow>& rows) {
    std::vector<Selection::Name> names;
    names.reserve(rows.size());
    for (const LockRow& row : rows) names.emplace_back(row.path, row.kind);
    return names;
}

} // namespace

std::size_t Selection::index_in(const std::vector<Name>& lines) const {
    auto found = std::find(lines.begin(), lines.end(), name_);
    if (found == lines.end())
        found = std::find_if(lines.begin(), lines.end(), [&](const Name& line) { return line.first == name_.first; });
    if (found != lines.end()) return static_cast<std::size_t>(found - lines.begin());
    return lines.empty() ? 0 : std::min(index_, lines.size() - 1);
}

void Selection::choose(const std::vector<Name>& lines, std::size_t index) {
    index_ = index;
    name_ = lines.empty() ? Name() : lines[index];
}

std::vector<LockRow> TopScreen::visible_rows(const TopFacts& facts) const {
    auto rows = facts.rows;
    std::erase_if(rows, [&](const LockRow& row) { return !matches(row, filter_); });
    sort_rows(rows, sort_);
    return rows;
}

/// The nodes in the order of the screen: participants, then strangers.
std::vector<Selection::Name> TopScreen::names_of_nodes(const Inspection& queue) const {
    std::vector<Selection::Name> nodes;
    for (const Participant& one : queue.participants) nodes.emplace_back(one.node_path, "");
    for (const std::string& name : queue.strangers) nodes.emplace_back(join_path(open_path_, name), "");
    return nodes;
}

void TopScreen::move(Key key, const TopFacts& facts) {
    Selection& selection = mode_ == Mode::queue ? node_ : row_;
    const auto lines = mode_ == Mode::queue ? names_of_nodes(facts.queue) : names_of_rows(visible_rows(facts));
    selection.choose(lines, moved(key, selection.index_in(lines), lines.size(), page_));
}

void TopScreen::filter_key(const KeyPress& pressed) {
    if (pressed.key == Key::escape) filter_.clear();
    if (pressed.key == Key::escape || pressed.key == Key::enter) filtering_ = false;
    if (pressed.key == Key::letter && filter_.size() < longest_filter) filter_ += pressed.text;
    if (pressed.key == Key::backspace && !filter_.empty()) {
        while ((static_cast<unsigned char>(filter_.back()) & 0xc0) == 0x80 && filter_.size() > 1) filter_.pop_back();
        filter_.pop_back();
    }
}

std::optional<TopWish> TopScreen::answer(const KeyPress& pressed) {
    const auto asked = std::exchange(question_, std::nullopt);
    if (is(pressed, "y") || is(pressed, "Y")) return TopWish{TopWish::What::revoke, asked->first};
    refusal_ = "nobody was asked";
    return std::nullopt;
}

std::optional<TopWish> TopScreen::open_selected(const TopFacts& facts) {
    const auto rows = visible_rows(facts);
    if (mode_ != Mode::list || rows.empty()) return std::nullopt;
    mode_ = Mode::queue;
    first_shown_ = 0;
    node_ = {};
    open_path_ = rows[row_.index_in(names_of_rows(rows))].path;
    return TopWish{TopWish::What::open, open_path_};
}

void TopScreen::ask_about(const TopFacts& facts) {
    std::string node;
    std::string label;
    if (mode_ == Mode::queue) {
        const auto nodes = names_of_nodes(facts.queue);
        if (nodes.empty()) return;
        const std::size_t place = node_.index_in(nodes);
        if (place >= facts.queue.participants.size()) {
            refusal_ = "no recipe has made it: there is nobody to ask";
            return;
        }
        node = nodes[place].first;
        label = facts.queue.participants[place].data;
    } else {
        const auto rows = visible_rows(facts);
        if (rows.empty()) return;
        const LockRow& row = rows[row_.index_in(names_of_rows(rows))];
        node = row.holder_node;
        label = row.label.value_or("");
    }
    if (node.empty()) refusal_ = "nobody holds it";
    else if (!is_lock_node(node)) refusal_ = "leaders, and waiters for permits, cannot be asked";
    else question_ = {node, label};
}

std::optional<TopWish> TopScreen::on_letter(const std::string& letter, const TopFacts& facts) {
    if (letter == "q") return TopWish{TopWish::What::quit};
    if (letter == "h" || letter == "?") mode_ = Mode::help;
    if (letter == "r") ask_about(facts);
    if (mode_ != Mode::list) return std::nullopt;
    if (letter == "s") sort_ = next_key(sort_);
    if (letter == "/") filtering_ = true;
    return std::nullopt;
}

std::optional<TopWish> TopScreen::on_key(const KeyPress& pressed, const TopFacts& facts) {
    refusal_.clear();
    if (question_) return answer(pressed);
    if (filtering_) {
        filter_key(pressed);
        return std::nullopt;
    }
    if (mode_ == Mode::help) {
        mode_ = open_path_.empty() ? Mode::list : Mode::queue;
        return is(pressed, "q") ? std::optional(TopWish{TopWish::What::quit}) : std::nullopt;
    }
    switch (pressed.key) {
    case Key::letter: return on_letter(pressed.text, facts);
    case Key::enter: return open_selected(facts);
    case Key::escape:
    case Key::backspace:
        if (mode_ == Mode::queue) {
            mode_ = Mode::list;
            open_path_.clear();
            return TopWish{TopWish::What::open};
        }
        filter_.clear();
        return std::nullopt;
    default: move(pressed.key, facts); return std::nullopt;
    }
}

std::vector<ScreenLine> TopScreen::window(const std::vector<ScreenLine>& head, std::vector<ScreenLine> lines,
                                          std::size_t selected, ScreenSize size) {
    const std::size_t height = size.lines > head.size() + 1 ? size.lines - head.size() - 1 : 0;
    page_ = std::max<std::size_t>(height, 1);
    if (selected < lines.size()) lines[selected].style = Style::selected;
    if (lines.size() <= height) first_shown_ = 0;
    else first_shown_ = std::min(first_shown_, lines.size() - height);
    if (selected < first_shown_) first_shown_ = selected;
    if (height > 0 && selected >= first_shown_ + height) first_shown_ = selected - height + 1;
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(first_shown_, lines.size())));
    lines.resize(height);
    lines.insert(lines.begin(), head.begin(), head.end());
    return lines;
}

std::vector<ScreenLine> TopScreen::list_lines(const TopFacts& facts, ScreenSize size) {
    const auto rows = visible_rows(facts);
    std::size_t waiting = 0;
    for (const LockRow& row : rows) waiting += row.waiters;
    std::string title = "docent top " + shown(facts.path, charset_) + "   " + std::to_string(rows.size()) +
                        (rows.size() == 1 ? " lock, " : " locks, ") + std::to_string(waiting) + " waiting   by " +
                        std::string(to_string(sort_));
    if (!filter_.empty()) title += "   with " + shown(filter_, charset_);
    const auto texts = row_lines(rows, size.columns, charset_);
    std::vector<ScreenLine> lines;
    for (std::size_t i = 0; i < rows.size(); ++i)
        lines.push_back({texts[i + 1], rows[i].holders + rows[i].waiters == 0 ? Style::free : Style::plain});
    const auto names = names_of_rows(rows);
    const std::size_t selected = row_.index_in(names);
    if (!rows.empty()) row_.choose(names, selected);
    const std::string whole = rows.empty() ? "" : whole_of(rows[selected], texts[selected + 1], charset_);
    return window({{title}, {facts.notice.empty() ? whole : facts.notice}, {texts[0], Style::titles}}, std::move(lines),
                  selected, size);
}

std::vector<ScreenLine> TopScreen::queue_lines(const TopFacts& facts, ScreenSize size) {
    const auto& all = facts.queue.participants;
    const auto texts = participant_lines(all, facts.now, {.columns = size.columns, .charset = charset_});
    std::vector<ScreenLine> lines;
    for (std::size_t i = 0; i < all.size(); ++i) lines.push_back({texts[i + 1], Style::plain});
    for (const std::string& name : facts.queue.strangers)
        lines.push_back({"stranger " + shown(name, charset_), Style::warning});
    const auto names = names_of_nodes(facts.queue);
    const std::size_t selected = node_.index_in(names);
    if (!names.empty()) node_.choose(names, selected);
    const std::string node = names.empty() ? "nobody is there" : shown(names[selected].first, charset_);
    return window({{"docent top: the queue of " + shown(open_path_, charset_)},
                   {facts.notice.empty() ? node : facts.notice},
                   {texts[0], Style::titles}},
                  std::move(lines), selected, size);
}

ScreenLine TopScreen::bottom_line() const {
    if (question_) {
        const std::string who = question_->second.empty() ? "it" : shown(question_->second, charset_);
        return {"y/n: ask " + who + " to give up " + shown(node_name(question_->first), charset_), Style::warning};
    }
    if (filtering_) return {"show only lines with: " + shown(filter_, charset_), Style::warning};
    if (!refusal_.empty()) return {refusal_, Style::warning};
    if (mode_ == Mode::help) return {"any key: back", Style::hint};
    if (mode_ == Mode::queue) return {"Esc back  r ask for it  h help  q quit", Style::hint};
    return {"Enter queue  s sort  / filter  r ask for it  h help  q quit", Style::hint};
}

std::vector<ScreenLine> TopScreen::draw(const TopFacts& facts, ScreenSize size) {
    std::vector<ScreenLine> lines;
    if (mode_ == Mode::help) {
        lines.push_back({"docent top"});
        lines.push_back({});
        for (const auto text : help_lines) lines.push_back({std::string(text)});
    } else {
        lines = mode_ == Mode::queue ? queue_lines(facts, size) : list_lines(facts, size);
    }
    if (!facts.trouble.empty() && lines.size() > 1) lines[1] = {shown(facts.trouble, charset_), Style::warning};
    lines.resize(size.lines);
    if (size.lines > 1) lines.back() = bottom_line();
    for (ScreenLine& line : lines) line.text = cut(line.text, size.columns, charset_);
    return lines;
}

} // namespace docent::cli
