// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/command_table.hpp"

#include "cli/arguments/usage_error.hpp"

#include <docent/recipes/revocation.hpp>

#include <algorithm>

namespace docent::cli {
namespace {

QueueTime queue_time(const Given& given) {
    if (given.has("--no-wait") && given.has("--wait")) given.fail("--wait and --no-wait exclude each other");
    if (given.has("--no-wait")) return NoQueue{};
    if (const auto time = given.duration("--wait")) return AtMostInQueue{*time};
    return ForeverInQueue{};
}

HoldRequest hold_request(const Given& given) {
    return HoldRequest{.connection = given.connection(),
                       .path = given.path(),
                       .wait = queue_time(given),
                       .grace = given.duration("--grace"),
                       .revocable = given.has("--revocable"),
                       .program = given.program()};
}

template <LockKind Kind> Command build_lock(const Given& given) {
    given.expect_positionals(1, {"PATH"});
    return LockCommand{.hold = hold_request(given), .kind = Kind};
}

Command build_semaphore(const Given& given) {
    given.expect_positionals(1, {"PATH"});
    const auto permits = given.number<std::int32_t>("--permits");
    if (!permits) given.fail("how many permits are there? (--permits N, the same for everybody who uses this path)");
    if (*permits == 0) given.fail("--permits must be at least 1");
    const auto count = given.number<std::int32_t>("--count").value_or(1);
    if (count == 0) given.fail("--count must be at least 1");
    if (count > *permits) {
        given.fail("--count " + std::to_string(count) + " is more than the " + std::to_string(*permits) + " of --permits");
    }
    return SemaphoreCommand{.hold = hold_request(given), .permits = *permits, .count = count};
}

template <typename Reading> Command build_reading(const Given& given) {
    given.expect_positionals(1, {"PATH"});
    return Reading{.connection = given.connection(), .format = given.format(), .path = given.path()};
}

Command build_revoke(const Given& given) {
    given.expect_positionals(1, {"NODE"});
    const std::string node = given.path();
    if (!is_lock_node(node)) given.fail("'" + node + "' is not the node of a lock; docent inspect PATH shows the nodes");
    return RevokeCommand{.connection = given.connection(), .node = node};
}

Command build_set(const Given& given) {
    given.expect_positionals(2, {"PATH", "DATA"});
    return SetCommand{.connection = given.connection(),
                      .format = given.format(),
                      .path = given.path(),
                      .data = given.data(),
                      .version = given.number<std::int32_t>("--version").value_or(any_version)};
}

CreateMode create_mode(const Given& given) {
    if (given.has("--sequential") && given.has("--container")) given.fail("ZooKeeper has no sequential containers");
    if (given.has("--container")) return CreateMode::container;
    return given.has("--sequential") ? CreateMode::persistent_sequential : CreateMode::persistent;
}

Command build_create(const Given& given) {
    given.expect_positionals(1, {"PATH", "DATA"});
    return CreateCommand{.connection = given.connection(),
                         .format = given.format(),
                         .path = given.path(),
                         .data = given.data(),
                         .mode = create_mode(given),
                         .parents = given.has("--parents") ? Parents::persistent : Parents::fail};
}

Command build_delete(const Given& given) {
    given.expect_positionals(1, {"PATH"});
    return DeleteCommand{.connection = given.connection(),
                         .path = given.path(),
                         .version = given.number<std::int32_t>("--version").value_or(any_version)};
}

Command build_tx(const Given& given) {
    given.expect_positionals(0, {});
    const std::string name = given.value("-f").value_or("-");
    return TxCommand{.connection = given.connection(),
                     .format = given.format(),
                     .file = name == "-" ? DataSource(StandardInput{}) : DataSource(InputFile{name})};
}

Command build_server(const Given& given) {
    given.expect_positionals(0, {});
    ServerCommand result;
    result.port = given.number<std::uint16_t>("--port").value_or(result.port);
    result.data_dir = given.value("--data").value_or("");
    if (given.has("--data") && result.data_dir.empty()) given.fail("--data needs the name of a folder");
    return result;
}

Command build_demo(const Given& given) {
    given.expect_positionals(0, {});
    return DemoCommand{};
}

} // namespace

const std::vector<CommandEntry>& command_table() {
    using enum OptionKind;
    const std::vector<OptionSpec> hold_options = {
        {"--wait", with_value}, {"--no-wait", flag}, {"--grace", with_value}, {"--revocable", flag}};
    std::vector<OptionSpec> semaphore_options = {{"--permits", with_value}, {"--count", with_value}};
    semaphore_options.insert(semaphore_options.end(), hold_options.begin(), hold_options.end());
    static const std::vector<CommandEntry> table = {
        {"lock", build_lock<LockKind::mutex>, Connects::yes, TakesJson::no, TakesProgram::yes, hold_options},
        {"read-lock", build_lock<LockKind::read>, Connects::yes, TakesJson::no, TakesProgram::yes, hold_options},
        {"write-lock", build_lock<LockKind::write>, Connects::yes, TakesJson::no, TakesProgram::yes, hold_options},
        {"semaphore", build_semaphore, Connects::yes, TakesJson::no, TakesProgram::yes, semaphore_options},
        {"ls", build_reading<LsCommand>, Connects::yes, TakesJson::yes},
        {"get", build_reading<GetCommand>, Connects::yes, TakesJson::yes},
        {"stat", build_reading<StatCommand>, Connects::yes, TakesJson::yes},
        {"exists", build_reading<ExistsCommand>, Connects::yes, TakesJson::yes},
        {"inspect", build_reading<InspectCommand>, Connects::yes, TakesJson::yes},
        {"revoke", build_revoke, Connects::yes},
        {"set", build_set, Connects::yes, TakesJson::yes, TakesProgram::no, {{"--version", with_value}}},
        {"create",
         build_create,
         Connects::yes,
         TakesJson::yes,
         TakesProgram::no,
         {{"--sequential", flag}, {"--container", flag}, {"--parents", flag}}},
        {"delete", build_delete, Connects::yes, TakesJson::no, TakesProgram::no, {{"--version", with_value}}},
        {"tx", build_tx, Connects::yes, TakesJson::yes, TakesProgram::no, {{"-f", with_value}}},
        {"server",
         build_server,
         Connects::no,
         TakesJson::no,
         TakesProgram::no,
         {{"--port", with_value}, {"--data", with_value}}},
        {"demo", build_demo, Connects::no},
    };
    return table;
}

const CommandEntry& find_command(const std::string& name) {
    const auto& table = command_table();
    const auto found = std::find_if(table.begin(), table.end(), [&](const CommandEntry& e) { return e.name == name; });
    if (found == table.end()) throw UsageError("unknown command '" + name + "' (see: docent --help)");
    return *found;
}

} // namespace docent::cli
