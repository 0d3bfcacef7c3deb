// SPDX-License-Identifier: Apache-2.0

#include "cli/view/inspection_table.hpp"
#include "cli/nodes/json.hpp"

#include <docent/path.hpp>
#include <docent/recipes/revocation.hpp>

#include <algorithm>
#include <array>

namespace docent::cli {
namespace {

constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view green = "\x1b[32m";
constexpr std::string_view yellow = "\x1b[33m";
constexpr std::string_view red = "\x1b[31m";
constexpr std::string_view plain = "\x1b[0m";

std::string painted(const std::string& text, std::string_view colour, const Page& page) {
    return page.colours && !colour.empty() ? std::string(colour) + text + std::string(plain) : text;
}

/// Whether two participants are in one queue. A semaphore's gate and its leases are two queues.
bool same_queue(const Participant& one, const Participant& other) {
    return one.recipe == other.recipe && (one.kind == ParticipantKind::lease) == (other.kind == ParticipantKind::lease);
}

/// The index of the participant that `participants[index]` waits for. Nothing for a holder, and for the first at a semaphore's
/// gate, which waits for permits.
std::optional<std::size_t> waits_for(const std::vector<Participant>& participants, std::size_t index) {
    const Participant& one = participants[index];
    if (one.holds) return std::nullopt;
    for (std::size_t i = index; i-- > 0 && same_queue(participants[i], one);) {
        if (one.kind != ParticipantKind::read || participants[i].kind != ParticipantKind::read) return i;
    }
    return std::nullopt;
}

std::string name_of_queue(const Participant& one) {
    if (one.recipe != RecipeKind::semaphore) return std::string(to_string(one.recipe));
    return one.kind == ParticipantKind::lease ? "semaphore" : "semaphore's gate";
}

std::string heading(const std::vector<Participant>& all, std::size_t first, std::size_t last, std::string_view path,
                    const Page& page) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(last);
    const auto reserved = std::count_if(begin, end, [&](const Participant& one) { return is_reserved(one, all); });
    const auto holding = std::count_if(begin, end, [](const Participant& one) { return one.holds; }) - reserved;
    const auto waiting = end - begin - holding - reserved;
    const std::string text = name_of_queue(all[first]) + " " + shown(path, page.charset) + ": " + std::to_string(holding) +
                             (holding == 1 ? " holds, " : " hold, ") + std::to_string(waiting) +
                             (waiting == 1 ? " waits" : " wait") +
                             (reserved > 0 ? ", " + std::to_string(reserved) + " reserved" : "");
    return painted(cut(text, page.columns, page.charset), bold, page) + "\n";
}

constexpr std::size_t columns_count = 6;
using Row = std::array<std::string, columns_count>; // place, kind, state, age, session, label

Row row_of(const std::vector<Participant>& all, std::size_t index, std::chrono::system_clock::time_point now,
           const Page& page) {
    const Participant& one = all[index];
    return {std::to_string(one.position),
            std::string(to_string(one.kind)),
            state_text(all, index),
            one.created != 0 ? short_age(age_at(now, one.created)) : "?",
            has_stat(one) ? session_text(one.session_id) : "?",
            one.readable ? shown_label(one.data, page.charset) : std::string(unreadable_label)};
}

const Row row_of_titles{"#", "KIND", "STATE", "AGE", "SESSION", "LABEL"};

class Table {
public:
    /// Gives labels the room that the other columns leave, and node names a place beside them if there is room.
    Table(const Page& page, const std::vector<Row>& rows, std::size_t longest_name) : page_(page) {
        for (const Row& row : rows) {
            for (std::size_t i = 0; i < columns_count; ++i) widths_[i] = std::max(widths_[i], columns_of(row[i]));
        }
        std::size_t others = 0;
        for (std::size_t i = 0; i < label_column; ++i) others += widths_[i] + gap.size();
        const auto rest = [&](std::size_t used) { return page_.columns > used ? page_.columns - used : 0; };
        const std::size_t least = std::min(widths_[label_column], least_label);
        const std::size_t beside = rest(others + gap.size() + longest_name);
        names_beside_ = beside >= least && beside > 0;
        const std::size_t room = names_beside_ ? beside : rest(others);
        widths_[label_column] = std::min(widths_[label_column], std::max<std::size_t>(room, 1));
    }
    std::string line(const Row& row, std::string_view name, std::string_view colour) const {
        std::string text;
        for (std::size_t i = 0; i < columns_count; ++i) {
            const bool number = i == 0 || i == 3;
            const std::string word = cut(row[i], widths_[i], page_.charset);
            text +=
                (i > 0 ? std::string(gap) : "") + (number ? right_aligned(word, widths_[i]) : left_aligned(word, widths_[i]));
        }
        if (!names_beside_) {
            text.erase(text.find_last_not_of(' ') + 1);
            return painted(cut(text, page_.columns, page_.charset), colour, page_) + "\n" + std::string(4, ' ') +
                   std::string(name) + "\n";
        }
        return painted(text, colour, page_) + std::string(gap) + std::string(name) + "\n";
    }

private:
    static constexpr std::size_t label_column = 5;
    static constexpr std::size_t least_label = 12;
    static constexpr std::string_view gap = "  ";

    const Page& page_;
    std::array<std::size_t, columns_count> widths_{};
    bool names_beside_ = true;
};

bool is_lock(const std::string& name, const std::optional<std::vector<std::string>>& locks) {
    return locks && contains(*locks, name);
}

std::string stranger_line(const std::string& name, std::string_view path, const std::optional<std::vector<std::string>>& locks,
                          const Page& page) {
    if (!is_lock(name, locks)) return painted("stranger " + shown(name, page.charset), red, page) + "\n";
    return "lock " + shown(name, page.charset) + ": docent inspect " + shown(join_path(path, name), page.charset) + "\n";
}

std::string as_json(const Inspection& inspection, const std::optional<std::vector<std::string>>& locks,
                    const json::object& more) {
    json::array participants;
    for (const Participant& one : inspection.participants) {
        json::object participant = json_participant(one);
        if (is_reserved(one, inspection.participants)) {
            participant["holds"] = false;
            participant["reserved"] = true;
        }
        participants.push_back(std::move(participant));
    }
    std::vector<std::string> strangers = inspection.strangers;
    std::erase_if(strangers, [&](const std::string& name) { return is_lock(name, locks); });
    json::object whole{{"participants", participants}, {"strangers", json_array(strangers)}};
    if (locks) whole.emplace("locks", json_array(*locks));
    for (const auto& member : more) whole.insert(member);
    return serialized(whole) + "\n";
}

std::string as_text(const Inspection& inspection, const std::optional<std::vector<std::string>>& locks) {
    std::string text;
    for (const Participant& one : inspection.participants) {
        const bool reserved = is_reserved(one, inspection.participants);
        text += std::string(to_string(one.recipe)) + " " + std::to_string(one.position) + " " +
                (reserved    ? "reserved"
                 : one.holds ? "holds"
                             : "waits") +
                " " + std::string(to_string(one.kind)) + " " +
                as_word(one.readable ? one.data : std::string(unreadable_label)) + " session " +
                (has_stat(one) ? session_text(one.session_id) + " token " + std::to_string(one.fencing_token) : "? token ?") +
                " " + std::string(node_name(one.node_path)) + "\n";
    }
    for (const std::string& name : inspection.strangers)
        text += (is_lock(name, locks) ? "lock " : "stranger ") + as_word(name) + "\n";
    return text;
}

} // namespace

std::string state_text(const std::vector<Participant>& participants, std::size_t index) {
    if (participants[index].holds) return is_reserved(participants[index], participants) ? "reserved" : "holds";
    if (const auto ahead = waits_for(participants, index)) return "waits for " + std::to_string(participants[*ahead].position);
    return participants[index].recipe == RecipeKind::semaphore ? "waits for permits" : "waits";
}

std::string inspection_table(const Inspection& inspection, std::string_view path, std::chrono::system_clock::time_point now,
                             const Page& page, const std::optional<std::vector<std::string>>& locks) {
    const auto& all = inspection.participants;
    std::vector<Row> rows{row_of_titles};
    std::vector<std::string> names;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        rows.push_back(row_of(all, i, now, page));
        names.push_back(shown(all[i].node_path, page.charset)); // the form that revoke and break take
        longest = std::max(longest, columns_of(names.back()));
    }
    const Table table(page, rows, longest);

    std::string text;
    for (std::size_t first = 0; first < all.size();) {
        std::size_t last = first;
        while (last < all.size() && same_queue(all[first], all[last])) ++last;
        text += heading(all, first, last, path, page) + table.line(rows[0], "NODE", {});
        for (std::size_t i = first; i < last; ++i) {
            text += table.line(rows[i + 1], names[i], all[i].holds && !is_reserved(all[i], all) ? green : yellow);
        }
        first = last;
    }
    if (const std::string mixture = mixture_of(all); !mixture.empty())
        text += painted(cut("warning: " + mixture, page.columns, page.charset), red, page) + "\n";
    for (const std::string& name : inspection.strangers) text += stranger_line(name, path, locks, page);
    if (all.empty() && !inspection.strangers.empty()) {
        text += "nobody takes part here; all locks below: docent top " + shown(path, page.charset) + "\n";
    }
    if (text.empty()) text = "nobody is at " + shown(path, page.charset) + "\n";
    return text;
}

std::string mixture_of(const std::vector<Participant>& participants) {
    std::vector<std::string> kinds;
    kinds.reserve(participants.size());
    for (const Participant& one : participants) kinds.emplace_back(to_string(one.recipe));
    return mixture_text(kinds);
}

std::vector<std::string> participant_lines(const std::vector<Participant>& participants,
                                           std::chrono::system_clock::time_point now, const Page& page) {
    std::vector<Row> rows{row_of_titles};
    for (std::size_t i = 0; i < participants.size(); ++i) rows.push_back(row_of(participants, i, now, page));
    const Table table(page, rows, 0);
    std::vector<std::string> lines;
    for (const Row& row : rows) {
        std::string line = table.line(row, {}, {});
        line.erase(line.find('\n'));
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(cut(line, page.columns, page.charset));
    }
    return lines;
}

std::string inspection_text(const Inspection& inspection, const InspectCommand& command, const std::optional<Page>& page,
                            const std::optional<std::vector<std::string>>& locks, const json::object& more) {
    if (command.format == OutputFormat::json) return as_json(inspection, locks, more);
    if (!page) return as_text(inspection, locks);
    return inspection_table(inspection, command.path, std::chrono::system_clock::now(), *page, locks);
}

namespace {

std::string items_text(const PartitionMember& member) {
    std::string text;
    for (const auto& item : member.items) text += " " + as_word(item);
    return text;
}

std::string for_terminal(const Distribution& distribution, const Page& page) {
    std::size_t items = 0;
    std::size_t width = 6;
    for (const auto& member : distribution.members) {
        items += member.items.size();
        width = std::max(width, columns_of(shown(member.id, page.charset)));
    }
    std::string text = "partition: " + std::to_string(items) + " items, " + std::to_string(distribution.members.size()) +
                       " members, " + std::to_string(distribution.moves) + " moves\n" + left_aligned("MEMBER", width) +
                       "  STATE    WEIGHT  ITEMS\n";
    for (const auto& member : distribution.members) {
        const std::string line = left_aligned(shown(member.id, page.charset), width) + "  " +
                                 (member.present ? "present" : "gone   ") + "  " +
                                 left_aligned(std::to_string(member.weight), 6) + "  " + std::to_string(member.items.size()) +
                                 ":" + shown(items_text(member), page.charset);
        text += cut(line, page.columns, page.charset) + "\n";
    }
    return text;
}

} // namespace

std::string distribution_text(const Distribution& distribution, const std::optional<Page>& page) {
    if (page) return for_terminal(distribution, *page);
    std::string text;
    for (const auto& member : distribution.members) {
        text += "member " + as_word(member.id) + (member.present ? " present" : " gone") + " weight " +
                std::to_string(member.weight) + " items " + std::to_string(member.items.size()) + ":" + items_text(member) +
                "\n";
    }
    return text + "moves " + std::to_string(distribution.moves) + "\n";
}

json::object json_distribution(const Distribution& distribution) {
    json::array members;
    for (const auto& member : distribution.members) {
        members.push_back(json::object{{"id", json_string(member.id)},
                                       {"weight", member.weight},
                                       {"present", member.present},
                                       {"items", json_array(member.items)}});
    }
    return {{"members", std::move(members)}, {"moves", distribution.moves}};
}

bool is_participant(const std::string& node, const InspectOptions& options) {
    if (is_lock_node(node)) return true;
    const RecipeChildren names{{std::string(node_name(node))}};
    return !inspect_names(parent_path(node), names, options).participants.empty();
}

std::vector<std::string> paths_of_recipe(const std::string& node) {
    const std::string parent(parent_path(node));
    std::vector<std::string> paths;
    const auto name = node_name(parent);
    if (name == "leases" || name == "locks") paths.emplace_back(parent_path(parent));
    paths.push_back(parent);
    return paths;
}

std::string broken_node_text(const std::vector<Participant>& participants, const std::string& node,
                             std::chrono::system_clock::time_point now, Charset charset) {
    const auto found =
        std::find_if(participants.begin(), participants.end(), [&](const auto& p) { return p.node_path == node; });
    const Participant& one = *found;
    const auto index = static_cast<std::size_t>(found - participants.begin());
    const auto waiting = std::count_if(participants.begin(), participants.end(), [](const auto& p) { return !p.holds; });
    return shown(node, charset) + "\n  recipe   " + std::string(to_string(one.recipe)) + ", " +
           std::string(to_string(one.kind)) + "\n  state    " + state_text(participants, index) + "; " +
           std::to_string(waiting) + (waiting == 1 ? " waits" : " wait") + " there\n  label    " +
           (one.readable ? shown_label(one.data, charset) : std::string(unreadable_label)) + "\n  age      " +
           (has_stat(one) ? short_age(age_at(now, one.created)) : "?") + "\n  session  " +
           (!has_stat(one)        ? "?"
            : one.session_id == 0 ? "none: it stays until it is removed"
                                  : session_text(one.session_id)) +
           "\n  token    " + (has_stat(one) ? std::to_string(one.fencing_token) : "?") + "\n";
}

} // namespace docent::cli
