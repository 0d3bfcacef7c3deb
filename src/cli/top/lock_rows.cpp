// SPDX-License-Identifier: Apache-2.0
#include "cli/top/lock_rows.hpp"

#include "cli/nodes/json.hpp"

#include <boost/algorithm/string/predicate.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace docent::cli {
namespace {

using std::chrono::milliseconds;

std::string kind_of(const Queue& queue) {
    switch (queue.recipe) {
    case RecipeKind::mutex: return "mutex";
    case RecipeKind::read_write_lock: return queue.kind == ParticipantKind::read ? "read" : "write";
    case RecipeKind::semaphore: return "semaphore";
    case RecipeKind::leader_latch: return "leader";
    }
    return "?";
}

/// The number of possible holders. Readers have no limit. The nodes of a semaphore do not tell its limit.
std::optional<std::size_t> limit_of(const Queue& queue) {
    if (queue.recipe == RecipeKind::semaphore || queue.kind == ParticipantKind::read) return std::nullopt;
    return 1;
}

std::string age_text(const std::optional<milliseconds>& age) {
    return age ? short_age(*age) : "-";
}

std::string turns_text(const std::optional<double>& turns) {
    return turns ? std::to_string(std::llround(*turns)) : "-";
}

constexpr std::size_t column_count = 9;
constexpr std::size_t path_column = 0;
constexpr std::size_t age_column = 4;
constexpr std::size_t oldest_column = 5;
constexpr std::size_t turns_column = 6;
constexpr std::size_t strangers_column = 7;
constexpr std::size_t label_column = 8;
using Widths = std::array<std::size_t, column_count>; // 0: the column is not shown
using Cells = std::array<std::string, column_count>;
const Cells titles = {"LOCK", "KIND", "HOLD", "WAIT", "AGE", "OLDEST", "TURNS/MIN", "STRANGERS", "HOLDER"};
constexpr std::string_view gap = "  ";

Cells cells_of(const LockRow& row, Charset charset) {
    const std::string limit = row.limit ? std::to_string(*row.limit) : "-";
    return {shown(row.path, charset),
            row.kind,
            std::to_string(row.holders) + "/" + limit,
            std::to_string(row.waiters),
            age_text(row.age),
            age_text(row.oldest),
            turns_text(row.turns_per_minute),
            row.strangers > 0 ? std::to_string(row.strangers) : "-",
            row.holders == 0 ? ""
            : !row.label     ? "..."
                             : shown_label(*row.label, charset)};
}

/// Joins the cells of a line. A long path is cut in front, because its end says most.
std::string joined(const Cells& cells, const Widths& widths, Charset charset) {
    std::string line;
    for (std::size_t i = 0; i < column_count; ++i) {
        if (widths[i] == 0) continue;
        const bool text = i == path_column || i == 1 || i == label_column;
        const std::string cell =
            i == path_column ? cut_in_front(cells[i], widths[i], charset) : cut(cells[i], widths[i], charset);
        line += (i > 0 ? std::string(gap) : "") + (text ? left_aligned(cell, widths[i]) : right_aligned(cell, widths[i]));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

/// Shrinks the wider of two columns until both fit.
void shrink(std::size_t& one, std::size_t& other, std::size_t room) {
    constexpr std::size_t least = 8;
    if (one + other <= room) return;
    const std::size_t half = room / 2;
    if (one <= half) other = std::max(room - one, least);
    else if (other <= half) one = std::max(room - other, least);
    else one = other = std::max(half, least);
}

std::size_t room_for_texts(const Widths& widths, std::size_t columns) {
    std::size_t taken = gap.size();
    for (std::size_t i = 0; i < column_count; ++i) {
        if (i != path_column && i != label_column && widths[i] > 0) taken += widths[i] + gap.size();
    }
    return columns > taken ? columns - taken : 0;
}

/// Leaves out columns if the line is too narrow: ages and rates first, because path and holder matter more.
void leave_out(Widths& widths, const std::vector<Cells>& all, std::size_t columns) {
    constexpr std::size_t enough = 20;
    const std::size_t wanted = std::min(widths[path_column], enough) + std::min(widths[label_column], enough);
    const bool strangers =
        std::any_of(all.begin() + 1, all.end(), [](const Cells& cells) { return cells[strangers_column] != "-"; });
    const auto leave = [&](std::size_t column) {
        if (room_for_texts(widths, columns) < wanted) widths[column] = 0;
    };
    if (!strangers) leave(strangers_column);
    for (const std::size_t column : {turns_column, oldest_column, age_column}) leave(column);
}

} // namespace

std::vector<LockRow> rows_of(const LockTree& tree, LockTree::Time now, std::chrono::system_clock::time_point wall_clock) {
    std::vector<LockRow> rows;
    const auto age = [&](const std::string& node) -> std::optional<milliseconds> {
        const NodeDetails* const details = node.empty() ? nullptr : tree.details(node);
        return details != nullptr && details->created != 0 ? std::optional(age_at(wall_clock, details->created)) : std::nullopt;
    };
    for (const auto& [path, lock] : tree.locks(now)) {
        auto queues = lock.queues;
        if (queues.empty()) queues.emplace_back(); // no participants now
        for (const Queue& queue : queues) {
            LockRow row{.path = path};
            row.kind = lock.queues.empty() ? "free" : kind_of(queue);
            row.holders = queue.holders;
            row.limit = lock.queues.empty() ? std::nullopt : limit_of(queue);
            row.waiters = queue.waiters;
            row.reserved = queue.reserved;
            if (const auto* details = tree.details(queue.first_holder)) row.label = details->label;
            row.age = age(queue.first_holder);
            row.oldest = age(queue.first_waiter);
            row.turns_per_minute = lock.turns_per_minute;
            row.strangers = lock.strangers;
            row.holder_node = queue.first_holder;
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

std::string_view to_string(SortKey key) noexcept {
    switch (key) {
    case SortKey::path: return "path";
    case SortKey::waiters: return "waiters";
    case SortKey::age: return "age";
    case SortKey::oldest: return "oldest";
    case SortKey::turns: return "turns";
    }
    return "?";
}

void sort_rows(std::vector<LockRow>& rows, SortKey key) {
    const auto value = [key](const LockRow& row) -> double {
        const auto count = [](const std::optional<milliseconds>& age) { return age ? static_cast<double>(age->count()) : -1; };
        switch (key) {
        case SortKey::path: return 0;
        case SortKey::waiters: return static_cast<double>(row.waiters);
        case SortKey::age: return count(row.age);
        case SortKey::oldest: return count(row.oldest);
        case SortKey::turns: return row.turns_per_minute.value_or(-1);
        }
        return 0;
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const LockRow& a, const LockRow& b) {
        return std::pair(-value(a), std::string_view(a.path)) < std::pair(-value(b), std::string_view(b.path));
    });
}

bool matches(const LockRow& row, std::string_view filter) {
    using boost::algorithm::icontains;
    return icontains(row.path, filter) || icontains(row.kind, filter) || icontains(row.label.value_or(""), filter);
}

std::vector<std::string> row_lines(const std::vector<LockRow>& rows, std::size_t columns, Charset charset) {
    std::vector<Cells> all{titles};
    all.reserve(rows.size() + 1);
    for (const LockRow& row : rows) all.push_back(cells_of(row, charset));
    Widths widths{};
    for (std::size_t i = 0; i < column_count; ++i) {
        for (const Cells& cells : all) widths[i] = std::max(widths[i], columns_of(cells[i]));
    }
    leave_out(widths, all, columns);
    shrink(widths[path_column], widths[label_column], room_for_texts(widths, columns));
    std::vector<std::string> lines;
    lines.reserve(all.size());
    for (const Cells& cells : all) lines.push_back(cut(joined(cells, widths, charset), columns, charset));
    return lines;
}

std::string mixtures_text(const std::vector<LockRow>& rows) {
    std::map<std::string, std::vector<std::string>> kinds;
    for (const LockRow& row : rows) kinds[row.path].push_back(row.kind);
    std::string text;
    std::size_t others = 0;
    for (const auto& [path, at_path] : kinds) {
        const std::string mixture = mixture_text(at_path);
        if (mixture.empty()) continue;
        if (text.empty()) text.append(path).append(": ").append(mixture);
        else ++others;
    }
    if (others > 0) text += "; and so at " + std::to_string(others) + " more";
    return text;
}

std::string rows_as_json(const std::vector<LockRow>& rows) {
    json::array locks;
    for (const LockRow& row : rows) {
        const auto age = [](const std::optional<milliseconds>& value) {
            return value ? json::value(value->count()) : json::value(nullptr);
        };
        locks.push_back(
            json::object{{"path", json_string(row.path)},
                         {"kind", row.kind},
                         {"holders", row.holders},
                         {"limit", row.limit ? json::value(*row.limit) : json::value(nullptr)},
                         {"waiters", row.waiters},
                         {"reserved", row.reserved},
                         {"holder", row.holder_node.empty() ? json::value(nullptr) : json::value(json_string(row.holder_node))},
                         {"label", row.label ? json::value(json_string(*row.label)) : json::value(nullptr)},
                         {"ageMs", age(row.age)},
                         {"oldestWaiterMs", age(row.oldest)},
                         {"strangers", row.strangers}});
    }
    return serialized(json::object{{"locks", std::move(locks)}}) + "\n";
}

} // namespace docent::cli
