// SPDX-License-Identifier: Apache-2.0
#include "cli/view/inspection_text.hpp"

#include "cli/nodes/json.hpp"

#include <docent/path.hpp>

#include <chrono>

namespace docent::cli {
namespace {

std::string as_json(const Inspection& inspection) {
    json::array participants;
    for (const Participant& one : inspection.participants) participants.push_back(json_participant(one));
    return serialized({{"participants", participants}, {"strangers", json_array(inspection.strangers)}}) + "\n";
}

std::string as_text(const Inspection& inspection) {
    std::string text;
    for (const Participant& one : inspection.participants) {
        text += std::string(to_string(one.recipe)) + " " + std::to_string(one.position) + " " +
                (one.holds ? "holds " : "waits ") + std::string(to_string(one.kind)) + " " + as_word(one.data) + " session " +
                session_text(one.session_id) + " token " + std::to_string(one.fencing_token) + " " +
                std::string(node_name(one.node_path)) + "\n";
    }
    for (const std::string& name : inspection.strangers) text += "stranger " + as_word(name) + "\n";
    return text;
}

} // namespace

std::string inspection_text(const Inspection& inspection, const InspectCommand& command, const std::optional<Page>& page,
                            const std::vector<std::string>& locks) {
    if (command.format == OutputFormat::json) return as_json(inspection);
    if (!page) return as_text(inspection);
    return inspection_table(inspection, command.path, std::chrono::system_clock::now(), *page, locks);
}

} // namespace docent::cli
