// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/arguments/parse.hpp"
#include "cli/connection.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"
#include "cli/nodes/node_commands.hpp"
#include "cli/nodes/transaction_file.hpp"

#include <docent/transaction.hpp>

#include <string_view>

namespace docent::cli {
namespace {

// The names of Curator's OperationType.
std::string_view java_name(OperationType type) {
    switch (type) {
    case OperationType::create: return "CREATE";
    case OperationType::remove: return "DELETE";
    case OperationType::set_data: return "SET_DATA";
    case OperationType::check: return "CHECK";
    }
    return "";
}

/// ZooKeeper's error number. An operation that was not applied because of another one has "runtime inconsistency", as in Java.
int java_error(const error_code& ec) {
    return ec == error::not_applied ? static_cast<int>(server_error::runtime_inconsistency) : ec.value();
}

json::object json_result(const OperationResult& result) {
    const json::value nothing;
    return {{"type", java_name(result.type)},
            {"forPath", json_string(result.for_path)},
            {"resultPath", result.result_path.empty() ? nothing : json_string(result.result_path)},
            {"resultStat", result.stat ? json_stat(*result.stat) : nothing},
            {"error", java_error(result.ec)}};
}

void print_json(const TransactionResult& result) {
    json::array all;
    for (const OperationResult& operation : result.operations) all.push_back(json_result(operation));
    print(serialized(all) + "\n");
}

void print_text(const TransactionResult& result) {
    std::string text;
    for (const OperationResult& operation : result.operations) {
        text += std::string(java_name(operation.type)) + " " +
                (operation.result_path.empty() ? operation.for_path : operation.result_path);
        if (operation.stat) text += " version " + std::to_string(operation.stat->version);
        text += "\n";
    }
    print(text);
}

} // namespace

int run(const TxCommand& command) {
    const Transaction transaction = parse_transaction(read_data(command.file));
    if (transaction.operations().empty()) throw UsageError("tx: there is no operation to apply (see: docent tx --help)");
    return with_client(client_config(command.connection), "tx", [&](Client& client) {
        error_code ec;
        const TransactionResult result = client.commit(transaction, ec);
        const bool told = !ec || result.failed_operation;
        if (told && command.format == OutputFormat::json) print_json(result);
        if (ec && !result.failed_operation) return report_failure(ec, "tx", client);
        if (ec) {
            const std::size_t failed = *result.failed_operation;
            print_error("nothing was applied: operation " + std::to_string(failed + 1) + ", " +
                        std::string(java_name(result.operations[failed].type)) + " " + result.operations[failed].for_path +
                        ": " + ec.message());
            return exit_code::failure;
        }
        if (command.format == OutputFormat::text) print_text(result);
        return exit_code::success;
    });
}

} // namespace docent::cli
