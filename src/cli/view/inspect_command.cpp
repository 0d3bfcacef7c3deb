// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"
#include "cli/view/inspection_table.hpp"
#include "cli/view/terminal.hpp"

#include <docent/path.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/partitioner.hpp>

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::cli {
namespace {

/// The inspection of a path; nothing if the node does not exist.
std::optional<Inspection> inspect_if_there(Client& client, const std::string& path, InspectOptions options = {}) {
    error_code ec;
    Inspection inspection = inspect(client, path, std::move(options), ec);
    if (ec && ec != server_error::no_node) throw Error(ec);
    return ec ? std::nullopt : std::optional(std::move(inspection));
}

/// Whether the path has participants, or is a semaphore. Servers remove its empty gate after a while; then this asks whether
/// permits are held. Returns false on an error.
bool is_lock(Client& client, const std::string& path, const std::vector<std::string>& children) {
    if (!inspect_names(path, {children}).participants.empty()) return true;
    if (!contains(children, "leases")) return false;
    if (contains(children, "locks")) return true;
    error_code ignored;
    const auto leases = client.children(join_path(path, "leases"), ignored).names;
    return !inspect_names(path, {.children = {}, .leases = leases}).participants.empty();
}

/// The strangers that are locks themselves and have participants. Lists several strangers at once.
std::vector<std::string> locks_among(Client& client, const std::string& path, const std::vector<std::string>& strangers) {
    constexpr std::size_t most_looks = 100;
    std::vector<std::pair<std::string, std::future<std::vector<std::string>>>> asked;
    for (const std::string& name : strangers) {
        if (asked.size() == most_looks) break;
        auto answer = std::make_shared<std::promise<std::vector<std::string>>>();
        asked.emplace_back(name, answer->get_future());
        client.async_children(join_path(path, name),
                              [answer](error_code, Children listed) { answer->set_value(std::move(listed.names)); });
    }
    std::vector<std::string> locks;
    for (auto& [name, answer] : asked) {
        if (is_lock(client, join_path(path, name), answer.get())) locks.push_back(name);
    }
    return locks;
}

bool is_part_of_partition(std::string_view name) {
    return name == "plan" || name == "members" || name == "items";
}

/// The shares of the members, if the path is that of a partition.
std::optional<Distribution> distribution_if_there(Client& client, const std::string& path,
                                                  const std::vector<std::string>& strangers) {
    if (!contains(strangers, "plan") || !contains(strangers, "members")) return std::nullopt;
    error_code ec;
    Distribution distribution = read_distribution(client, path, ec);
    return ec || distribution.members.empty() ? std::nullopt : std::optional(std::move(distribution));
}

/// The leader of an election. The nodes of a LeaderSelector look like a mutex's.
const Participant* leader_of(const Inspection& inspection) {
    for (const auto recipe : {RecipeKind::leader_latch, RecipeKind::mutex}) {
        for (const Participant& one : inspection.participants) {
            if (one.recipe == recipe && one.holds) return &one;
        }
    }
    return nullptr;
}

} // namespace

int run(const InspectCommand& command) {
    if (command.watch) return follow(command);
    return with_synced_client(command.connection, "inspect " + command.path, [&](Client& client) {
        const auto found =
            inspect_if_there(client, command.path, {.others = command.kazoo ? kazoo_contenders() : OtherContenders{}});
        if (!found) print_error("inspect " + command.path + below_which(command.connection) + ": " + std::string(no_such_node));
        Inspection inspection = found.value_or(Inspection{});
        const auto page = page_of_output();
        const auto locks = locks_among(client, command.path, inspection.strangers);
        const auto distribution = distribution_if_there(client, command.path, inspection.strangers);
        json::object more;
        if (distribution) {
            more.emplace("partition", json_distribution(*distribution));
            std::erase_if(inspection.strangers, is_part_of_partition);
        }
        print(inspection_text(inspection, command, page, locks, more));
        if (distribution && command.format == OutputFormat::text) print(distribution_text(*distribution, page));
        const std::string mixture = mixture_of(inspection.participants);
        const bool is_in_table = page && command.format == OutputFormat::text;
        if (!mixture.empty() && !is_in_table) print_error("inspect " + command.path + ": " + mixture);
        return exit_code::success;
    });
}

int run(const LeaderCommand& command) {
    return with_synced_client(command.connection, "leader " + command.path, [&](Client& client) {
        const Inspection inspection = inspect_if_there(client, command.path).value_or(Inspection{});
        const Participant* leader = leader_of(inspection);
        if (leader != nullptr && !leader->readable && command.format == OutputFormat::text) throw Error(server_error::no_auth);
        if (command.format == OutputFormat::json) {
            print(serialized({{"leader", leader != nullptr ? json::value(json_participant(*leader)) : json::value(nullptr)}}) +
                  "\n");
        } else if (leader != nullptr) {
            print(as_word(leader->data) + "\n");
        }
        return leader != nullptr ? exit_code::success : exit_code::failure;
    });
}

} // namespace docent::cli
