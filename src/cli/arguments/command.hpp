// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/messages.hpp"

#include <docent/acl.hpp>
#include <docent/client.hpp>
#include <docent/recipes/lock_options.hpp>
#include <docent/tls.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <signal.h>

namespace docent::cli {

using std::chrono::milliseconds;

/// The options for the ensemble and the session.
struct Connection {
    std::string connect_string = "127.0.0.1:2181";
    milliseconds session_timeout = std::chrono::seconds{10};
    Heartbeats heartbeats = Heartbeats::frequent;
    std::string name_space = {};
    std::vector<AuthInfo> auth = {};
    std::optional<TlsConfig> tls = {};
    std::vector<std::string> warnings = {}; // printed before the command begins
    friend bool operator==(const Connection&, const Connection&) = default;
};

enum class OutputFormat { text, json };

/// How long to wait for a lock.
struct ForeverInQueue {
    friend bool operator==(const ForeverInQueue&, const ForeverInQueue&) = default;
};
struct NoQueue { // take the lock only if it is free now
    friend bool operator==(const NoQueue&, const NoQueue&) = default;
};
struct AtMostInQueue {
    milliseconds time;
    friend bool operator==(const AtMostInQueue&, const AtMostInQueue&) = default;
};
using QueueTime = std::variant<ForeverInQueue, NoQueue, AtMostInQueue>;

/// Data from the command line, from standard input, or from a file.
struct StandardInput {
    friend bool operator==(const StandardInput&, const StandardInput&) = default;
};
struct InputFile {
    std::string name;
    friend bool operator==(const InputFile&, const InputFile&) = default;
};
using DataSource = std::variant<std::string, StandardInput, InputFile>;

/// Runs a program while a lock, permits or a lead at `path` is held. Without a program, holds it until a signal arrives.
struct HoldRequest {
    Connection connection = {};
    std::string path = {};
    QueueTime wait = ForeverInQueue{};
    std::optional<milliseconds> grace = {};           // without: a twelfth of the session timeout
    std::optional<milliseconds> hold_at_least = {};   // counts from the start of the program
    LockOptions lock_options = {};                    // of each lock; without node_data and owner
    bool revocable = false;                           // end the program when another client asks for the lock
    std::vector<std::string> program = {};            // with its arguments
    std::vector<std::string> more_paths = {};         // locked together with `path`, all or none
    int conflict_exit_code = exit_code::not_acquired; // if the lock is not acquired in time
    int end_signal = SIGTERM;                         // asks the program to end
    std::optional<std::string> label = {};            // data of the nodes; by default label_of()
    bool verbose = false;
    bool quiet = false;                       // no messages about waiting and about a lock that is not free
    std::optional<std::string> on_lost = {};  // a shell command to run after a loss
    Parents own_parents = Parents::container; // the kind of missing parents that are created
    friend bool operator==(const HoldRequest&, const HoldRequest&) = default;
};

enum class LockKind { mutex, read, write };

struct LockCommand {
    HoldRequest hold = {};
    LockKind kind = LockKind::mutex;
    std::optional<milliseconds> once_per = {}; // run the program only if no successful run has begun within this time
    friend bool operator==(const LockCommand&, const LockCommand&) = default;
};

/// Permits of a semaphore.
struct SemaphoreCommand {
    HoldRequest hold = {};
    std::int32_t permits = 1; // of the semaphore
    std::int32_t count = 1;   // to hold at once
    friend bool operator==(const SemaphoreCommand&, const SemaphoreCommand&) = default;
};

/// Runs a program while this process leads, and again after a loss.
struct ElectCommand {
    HoldRequest hold = {};
    std::optional<std::string> id = {}; // by default label_of()
    bool once = false;                  // end after a loss
    friend bool operator==(const ElectCommand&, const ElectCommand&) = default;
};

/// Divides items among machines, and runs a program for each item of this machine.
struct PartitionCommand {
    HoldRequest hold = {};               // of each item; `path` is the partition's
    std::vector<std::string> items = {}; // of all members
    std::optional<std::string> id = {};  // by default label_of()
    std::uint32_t weight = 1;
    milliseconds join_delay = std::chrono::seconds{2};
    milliseconds leave_grace = std::chrono::seconds{2};
    bool keeps_place = false; // the items wait for this member when it ends
    friend bool operator==(const PartitionCommand&, const PartitionCommand&) = default;
};

/// The commands that read one node. Each has its type.
enum class Reading { ls, get, stat, exists, leader, acl };

template <Reading> struct ReadCommand {
    Connection connection = {};
    OutputFormat format = OutputFormat::text;
    std::string path = {};
    friend bool operator==(const ReadCommand&, const ReadCommand&) = default;
};
using LsCommand = ReadCommand<Reading::ls>;
using GetCommand = ReadCommand<Reading::get>;
using StatCommand = ReadCommand<Reading::stat>;
using ExistsCommand = ReadCommand<Reading::exists>;
using LeaderCommand = ReadCommand<Reading::leader>;
using GetAclCommand = ReadCommand<Reading::acl>;

struct InspectCommand {
    Connection connection = {};
    OutputFormat format = OutputFormat::text;
    std::string path = {};
    bool kazoo = false; // count kazoo's locks as participants
    bool watch = false; // print again after each change
    friend bool operator==(const InspectCommand&, const InspectCommand&) = default;
};

struct BreakCommand {
    Connection connection = {};
    std::string node = {};
    bool yes = false; // do not ask
    bool kazoo = false;
    friend bool operator==(const BreakCommand&, const BreakCommand&) = default;
};

struct TopCommand {
    Connection connection = {};
    OutputFormat format = OutputFormat::text;
    std::string path = "/"; // with all nodes below
    bool once = false;      // print once, without a screen
    std::size_t max_nodes = 10'000;
    friend bool operator==(const TopCommand&, const TopCommand&) = default;
};

struct DeadlocksCommand {
    Connection connection = {};
    enum class Format { text, json, dot, svg } format = Format::text;
    std::string path = "/"; // with all nodes below
    friend bool operator==(const DeadlocksCommand&, const DeadlocksCommand&) = default;
};

struct RevokeCommand {
    Connection connection = {};
    std::string node = {};
    bool force = false; // also ask a holder that is not known to listen
    friend bool operator==(const RevokeCommand&, const RevokeCommand&) = default;
};

struct SetCommand {
    Connection connection = {};
    OutputFormat format = OutputFormat::text;
    std::string path = {};
    DataSource data = {};
    std::int32_t version = any_version;
    friend bool operator==(const SetCommand&, const SetCommand&) = default;
};

struct CreateCommand {
    Connection connection = {};
    OutputFormat format = OutputFormat::text;
    std::string path = {};
    DataSource data = {};
    CreateMode mode = CreateMode::persistent;
    Parents parents = Parents::fail;
    Acl acl = {}; // empty: open to all
    friend bool operator==(const CreateCommand&, const CreateCommand&) = default;
};

struct SetAclCommand {
    Connection connection = {};
    OutputFormat format = OutputFormat::text;
    std::string path = {};
    Acl acl = {};
    std::int32_t version = any_version; // the expected version of the list
    friend bool operator==(const SetAclCommand&, const SetAclCommand&) = default;
};

struct DeleteCommand {
    Connection connection = {};
    std::string path = {};
    std::int32_t version = any_version;
    friend bool operator==(const DeleteCommand&, const DeleteCommand&) = default;
};

/// Applies several changes together, or none.
struct TxCommand {
    Connection connection = {};
    OutputFormat format = OutputFormat::text;
    DataSource file = StandardInput{};
    friend bool operator==(const TxCommand&, const TxCommand&) = default;
};

enum class ServerKind { in_memory, real };

struct ServerCommand {
    std::uint16_t port = 2181;           // 0: a free port
    std::filesystem::path data_dir = {}; // empty: a temporary folder
    bool tls = false;                    // also listens with TLS
    ServerKind kind = ServerKind::real;
    friend bool operator==(const ServerCommand&, const ServerCommand&) = default;
};

struct DemoCommand {
    ServerKind kind = ServerKind::in_memory;
    friend bool operator==(const DemoCommand&, const DemoCommand&) = default;
};

inline constexpr std::string_view options_topic = "options";
/// Prints a text about docent itself.
struct HelpCommand {
    std::string topic = {}; // of the help: a command's name, `options_topic`, or empty
    enum class Text { help, man_page, bash_completion, zsh_completion, version } text = Text::help;
    friend bool operator==(const HelpCommand&, const HelpCommand&) = default;
};

using Command = std::variant<HelpCommand, LockCommand, SemaphoreCommand, ElectCommand, PartitionCommand, LsCommand, GetCommand,
                             SetCommand, GetAclCommand, SetAclCommand, CreateCommand, DeleteCommand, StatCommand, ExistsCommand,
                             InspectCommand, BreakCommand, TopCommand, DeadlocksCommand, LeaderCommand, RevokeCommand,
                             TxCommand, ServerCommand, DemoCommand>;

} // namespace docent::cli
