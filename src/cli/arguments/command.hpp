// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/exit_code.hpp"

#include <docent/acl.hpp>
#include <docent/client.hpp>

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

/// What was typed about the ensemble and the session.
struct Connection {
    std::string connect_string = "127.0.0.1:2181";
    milliseconds session_timeout = std::chrono::seconds{10};
    std::string name_space = {};
    std::vector<AuthInfo> auth = {};
    std::vector<std::string> warnings = {}; // to be told before anything is done
    friend bool operator==(const Connection&, const Connection&) = default;
};

enum class OutputFormat { text, json };

/// How long a lock is waited for.
struct ForeverInQueue {
    friend bool operator==(const ForeverInQueue&, const ForeverInQueue&) = default;
};
struct NoQueue { // only if it is free now
    friend bool operator==(const NoQueue&, const NoQueue&) = default;
};
struct AtMostInQueue {
    milliseconds time;
    friend bool operator==(const AtMostInQueue&, const AtMostInQueue&) = default;
};
using QueueTime = std::variant<ForeverInQueue, NoQueue, AtMostInQueue>;

/// Data as typed, or read from standard input or a file.
struct StandardInput {
    friend bool operator==(const StandardInput&, const StandardInput&) = default;
};
struct InputFile {
    std::string name;
    friend bool operator==(const InputFile&, const InputFile&) = default;
};
using DataSource = std::variant<std::string, StandardInput, InputFile>;

/// Run a program while something at `path` is held; without a program, hold it until a signal comes.
struct HoldRequest {
    Connection connection = {};
    std::string path = {};
    QueueTime wait = ForeverInQueue{};
    std::optional<milliseconds> grace = {};           // without: a twelfth of the session timeout
    std::optional<milliseconds> hold_at_least = {};   // since the program was started
    std::optional<milliseconds> max_hold = {};        // then end the program, and give it back
    bool revocable = false;                           // end the program when somebody asks for what is held
    std::vector<std::string> program = {};            // and its arguments
    std::vector<std::string> more_paths = {};         // held together with `path`, or nothing
    int conflict_exit_code = exit_code::not_acquired; // if it is not acquired in time
    int end_signal = SIGTERM;                         // by which the program is asked to end
    std::optional<std::string> label = {};            // data of the nodes; without: who we are
    bool verbose = false;
    std::optional<std::string> on_lost = {};  // for the shell, when what is held is lost
    Parents own_parents = Parents::container; // how nodes above `path` that are missing are made
    friend bool operator==(const HoldRequest&, const HoldRequest&) = default;
};

enum class LockKind { mutex, read, write };

struct LockCommand {
    HoldRequest hold = {};
    LockKind kind = LockKind::mutex;
    std::optional<milliseconds> once_per = {}; // run the program only if no run of it has begun since, and succeeded
    bool kazoo = false;                        // Python's locks take their turns there, too
    friend bool operator==(const LockCommand&, const LockCommand&) = default;
};

/// Permits of a semaphore.
struct SemaphoreCommand {
    HoldRequest hold = {};
    std::int32_t permits = 1; // that there are
    std::int32_t count = 1;   // of them, to hold at once
    friend bool operator==(const SemaphoreCommand&, const SemaphoreCommand&) = default;
};

/// Run a program while leading, and again after a loss.
struct ElectCommand {
    HoldRequest hold = {};
    std::optional<std::string> id = {}; // without: the machine's name
    bool once = false;                  // end after a loss
    friend bool operator==(const ElectCommand&, const ElectCommand&) = default;
};

/// What is wanted of one node; each kind of reading is a type of its own.
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
    bool kazoo = false; // Python's locks take part there, too
    bool watch = false; // and again after each change
    friend bool operator==(const InspectCommand&, const InspectCommand&) = default;
};

struct BreakCommand {
    Connection connection = {};
    std::string node = {};
    bool yes = false; // nobody is asked
    bool kazoo = false;
    friend bool operator==(const BreakCommand&, const BreakCommand&) = default;
};

struct TopCommand {
    Connection connection = {};
    OutputFormat format = OutputFormat::text;
    std::string path = "/"; // and all below
    bool once = false;      // and not on a screen
    std::size_t max_nodes = 10'000;
    friend bool operator==(const TopCommand&, const TopCommand&) = default;
};

struct DeadlocksCommand {
    Connection connection = {};
    enum class Format { text, json, dot, svg } format = Format::text;
    std::string path = "/"; // and all below
    friend bool operator==(const DeadlocksCommand&, const DeadlocksCommand&) = default;
};

struct RevokeCommand {
    Connection connection = {};
    std::string node = {};
    bool force = false; // also a holder that is not known to listen
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
    std::int32_t version = any_version; // of the list
    friend bool operator==(const SetAclCommand&, const SetAclCommand&) = default;
};

struct DeleteCommand {
    Connection connection = {};
    std::string path = {};
    std::int32_t version = any_version;
    friend bool operator==(const DeleteCommand&, const DeleteCommand&) = default;
};

/// Several changes, together or not at all.
struct TxCommand {
    Connection connection = {};
    OutputFormat format = OutputFormat::text;
    DataSource file = StandardInput{};
    friend bool operator==(const TxCommand&, const TxCommand&) = default;
};

struct ServerCommand {
    std::uint16_t port = 2181;           // 0: a free one
    std::filesystem::path data_dir = {}; // empty: a temporary one
    friend bool operator==(const ServerCommand&, const ServerCommand&) = default;
};

struct DemoCommand {
    friend bool operator==(const DemoCommand&, const DemoCommand&) = default;
};

inline constexpr std::string_view options_topic = "options";
struct HelpCommand {
    std::string topic = {}; // a command's name, `options_topic`, or empty
    friend bool operator==(const HelpCommand&, const HelpCommand&) = default;
};

struct ManPageCommand {
    friend bool operator==(const ManPageCommand&, const ManPageCommand&) = default;
};

enum class Shell { bash, zsh };

struct CompletionCommand {
    Shell shell = Shell::bash;
    friend bool operator==(const CompletionCommand&, const CompletionCommand&) = default;
};

struct VersionCommand {
    friend bool operator==(const VersionCommand&, const VersionCommand&) = default;
};

using Command = std::variant<HelpCommand, VersionCommand, LockCommand, SemaphoreCommand, ElectCommand, LsCommand, GetCommand,
                             SetCommand, GetAclCommand, SetAclCommand, CreateCommand, DeleteCommand, StatCommand, ExistsCommand,
                             InspectCommand, BreakCommand, TopCommand, DeadlocksCommand, LeaderCommand, RevokeCommand,
                             TxCommand, ServerCommand, DemoCommand, ManPageCommand, CompletionCommand>;

} // namespace docent::cli
