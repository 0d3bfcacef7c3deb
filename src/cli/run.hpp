// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

namespace docent::cli {

// Each function runs one command and returns its exit code. It prints failures that ZooKeeper reports. It throws UsageError and
// std::runtime_error, each with one line for the user.
int run(const HelpCommand& command);
int run(const LockCommand& command);
int run(const SemaphoreCommand& command);
int run(const ElectCommand& command);
int run(const PartitionCommand& command);
int run(const LsCommand& command);
int run(const GetCommand& command);
int run(const SetCommand& command);
int run(const GetAclCommand& command);
int run(const SetAclCommand& command);
int run(const CreateCommand& command);
int run(const DeleteCommand& command);
int run(const StatCommand& command);
int run(const ExistsCommand& command);
int run(const InspectCommand& command);
int follow(const InspectCommand& command); // inspect --watch: shows the participants again after each change, until a signal
int run(const BreakCommand& command);
int run(const TopCommand& command);
int run(const DeadlocksCommand& command);
int run(const LeaderCommand& command);
int run(const RevokeCommand& command);
int run(const TxCommand& command);
int run(const ServerCommand& command);
int run(const DemoCommand& command);

} // namespace docent::cli
