// SPDX-License-Identifier: Apache-2.0

#include "cli/nodes/node_commands.hpp"
#include "cli/arguments/parse.hpp"
#include "cli/arguments/values.hpp"
#include "cli/connection.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"
#include "cli/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace docent::cli {
namespace {

constexpr std::size_t most = 1U << 20; // ZooKeeper's jute.maxbuffer; the client checks the exact limit

std::string read_all(std::FILE* file, const std::string& name) {
    std::string data;
    std::array<char, 65536> block{};
    while (const auto count = std::fread(block.data(), 1, block.size(), file)) {
        data.append(block.data(), count);
        if (data.size() > most) throw UsageError(name + " is larger than ZooKeeper takes (1 MiB)");
    }
    if (std::ferror(file)) throw std::runtime_error("cannot read " + name + ": " + std::strerror(errno));
    return data;
}

} // namespace

std::string read_data(const DataSource& source) {
    if (const auto* typed = std::get_if<std::string>(&source)) return *typed;
    const auto* file = std::get_if<InputFile>(&source);
    if (file == nullptr) return read_all(stdin, "standard input");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> open(std::fopen(file->name.c_str(), "rb"), &std::fclose);
    if (!open) throw UsageError("cannot open " + file->name + ": " + std::strerror(errno));
    return read_all(open.get(), file->name);
}

namespace {

std::string lines_of(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word + "\n";
    return text;
}

} // namespace

int run(const GetAclCommand& command) {
    return with_reading_client(command.connection, "get-acl " + command.path, [&](Client& client) {
        const auto node =
            read_synced<NodeAcl>(client, [&](auto handler) { client.async_get_acl(command.path, std::move(handler)); });
        std::vector<std::string> entries;
        for (const AclEntry& entry : node.acl) entries.push_back(to_text(entry));
        if (command.format == OutputFormat::json) {
            print(serialized({{"acl", json_array(entries)}, {"stat", json_stat(node.stat)}}) + "\n");
        } else {
            print(lines_of(entries));
        }
        return exit_code::success;
    });
}

int run(const SetAclCommand& command) {
    return with_client(client_config(command.connection), "set-acl " + command.path, [&](Client& client) {
        const Stat stat = client.set_acl(command.path, command.acl, command.version);
        if (command.format == OutputFormat::json) print(serialized(json_stat(stat)) + "\n");
        return exit_code::success;
    });
}

int run(const CreateCommand& command) {
    const std::string data = read_data(command.data);
    return with_client(client_config(command.connection), "create " + command.path, [&](Client& client) {
        const Created made =
            client.create(command.path, data, {.mode = command.mode, .parents = command.parents, .acl = command.acl});
        if (command.format == OutputFormat::json) {
            print(serialized({{"path", json_string(made.path)}, {"stat", json_stat(made.stat)}}) + "\n");
        } else {
            print(made.path + "\n");
        }
        return exit_code::success;
    });
}

int run(const DeleteCommand& command) {
    return with_client(client_config(command.connection), "delete " + command.path, [&](Client& client) {
        client.remove(command.path, {.version = command.version});
        return exit_code::success;
    });
}

int run(const ExistsCommand& command) {
    return with_reading_client(command.connection, "exists " + command.path, [&](Client& client) {
        const auto stat = read_synced<std::optional<Stat>>(
            client, [&](auto handler) { client.async_exists(command.path, std::move(handler)); });
        if (command.format == OutputFormat::json) {
            json::object answer{{"exists", stat.has_value()}};
            if (stat) answer.emplace("stat", json_stat(*stat));
            print(serialized(answer) + "\n");
        }
        return stat ? exit_code::success : exit_code::failure;
    });
}

int run(const GetCommand& command) {
    return with_reading_client(command.connection, "get " + command.path, [&](Client& client) {
        const auto node =
            read_synced<NodeData>(client, [&](auto handler) { client.async_get(command.path, std::move(handler)); });
        if (command.format == OutputFormat::json) {
            json::object answer{{"path", json_string(command.path)}};
            answer.insert(json_data(node.data));
            answer.emplace("stat", json_stat(node.stat));
            print(serialized(answer) + "\n");
        } else {
            print(node.data);
            if (::isatty(STDOUT_FILENO) != 0) print("\n"); // a pipe gets the bytes unchanged
        }
        return exit_code::success;
    });
}

int run(const LsCommand& command) {
    return with_reading_client(command.connection, "ls " + command.path, [&](Client& client) {
        auto names =
            read_synced<Children>(client, [&](auto handler) { client.async_children(command.path, std::move(handler)); }).names;
        std::sort(names.begin(), names.end());
        print(command.format == OutputFormat::json ? serialized(json_array(names)) + "\n" : lines_of(names));
        return exit_code::success;
    });
}

int run(const SetCommand& command) {
    const std::string data = read_data(command.data);
    return with_client(client_config(command.connection), "set " + command.path, [&](Client& client) {
        const Stat stat = client.set(command.path, data, {.version = command.version});
        if (command.format == OutputFormat::json) print(serialized(json_stat(stat)) + "\n");
        return exit_code::success;
    });
}

int run(const StatCommand& command) {
    return with_reading_client(command.connection, "stat " + command.path, [&](Client& client) {
        const auto stat = read_synced<std::optional<Stat>>(
            client, [&](auto handler) { client.async_exists(command.path, std::move(handler)); });
        if (!stat) throw Error(server_error::no_node);
        std::string text;
        for (const auto& [name, value] : stat_fields(*stat)) text += std::string(name) + " " + std::to_string(value) + "\n";
        print(command.format == OutputFormat::json ? serialized(json_stat(*stat)) + "\n" : text);
        return exit_code::success;
    });
}

} // namespace docent::cli
