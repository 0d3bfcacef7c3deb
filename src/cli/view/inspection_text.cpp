// SPDX-License-Identifier: Apache-2.0
#include "cli/view/inspection_text.hpp"

#include "cli/nodes/json.hpp"
#include "cli/view/text/reserved.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <chrono>

namespace docent::cli {
namespace {

using Locks = std::optional<std::vector<std::string>>;

bool is_lock(const std::string& name, const Locks& locks) {
    return locks && std::find(locks->begin(), locks->end(), name) != locks->end();
}

std::string_view state_of(const Participant& one, const std::vector<Participant>& all) {
    if (is_reserved(one, all)) return "reserved";
    return one.holds ? "holds" : "waits";
}

std::string as_json(const Inspection& inspection, const Locks& locks) {
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
    return serialized(whole) + "\n";
}

std::string as_text(const Inspection& inspection, const Locks& locks) {
    std::string text;
    for (const Participant& one : inspection.participants) {
        text += std::string(to_string(one.recipe)) + " " + std::to_string(one.position) + " " +
                std::string(state_of(one, inspection.participants)) + " " + std::string(to_string(one.kind)) + " " +
                as_word(one.data) + " session " + session_text(one.session_id) + " token " + std::to_string(one.fencing_token) +
                " " + std::string(node_name(one.node_path)) + "\n";
    }
    for (const std::string& name : inspection.strangers)
        text += (is_lock(name, locks) ? "lock " : "stranger ") + as_word(name) + "\n";
    return text;
}

} // namespace

std::string inspection_text(const Inspection& inspection, const InspectCommand& command, const std::optional<Page>& page,
                            const Locks& locks) {
    if (command.format == OutputFormat::json) return as_json(inspection, locks);
    if (!page) return as_text(inspection, locks);
    return inspection_table(inspection, command.path, std::chrono::system_clock::now(), *page,
                            locks.value_or(std::vector<std::string>{}));
}

} // namespace docent::cli
