// SPDX-License-Identifier: Apache-2.0

#include "cli/connection.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"
#include "cli/nodes/wait_graph.hpp"
#include "cli/run.hpp"
#include "cli/view/shown.hpp"
#include "posix/descriptors.hpp"
#include "posix/spawn.hpp"

#include <docent/path.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/revocation.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iomanip>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace docent::cli {
namespace {

/// No drawing could be made. The text says why.
class NotDrawn : public std::runtime_error {
public:
    explicit NotDrawn(const std::string& why) : std::runtime_error(why) {}
};

/// A file in memory. With a pipe, docent and `dot` could each wait for the other to read.
posix::UniqueFd memory_file(const char* name, const std::string& text = {}) {
    posix::UniqueFd file(::memfd_create(name, MFD_CLOEXEC));
    if (!file || ::pwrite(file.get(), text.data(), text.size(), 0) < 0)
        throw NotDrawn(std::string("cannot draw: ") + std::strerror(errno));
    return file;
}

std::string text_in(int file) {
    std::string text(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
    if (::pread(file, text.data(), text.size(), 0) < 0)
        throw NotDrawn(std::string("cannot read the drawing: ") + std::strerror(errno));
    return text;
}

int exit_status(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return status;
}

/// Draws a graph in Graphviz's language as SVG. Runs `dot`. Throws NotDrawn if `dot` is missing or fails.
std::string drawn_by_graphviz(const std::string& graph) try {
    const posix::UniqueFd input = memory_file("graph", graph);
    const posix::UniqueFd output = memory_file("drawing");
    const posix::ProgramImage dot({"dot", "-Tsvg"});
    const auto spawned = posix::spawn_detached(dot, {.input = input.get(), .output = output.get(), .errors = STDERR_FILENO});
    const int status = exit_status(spawned.pid);
    if (spawned.error == ENOENT) throw NotDrawn("--svg needs Graphviz, and there is no dot (Debian: apt-get install graphviz)");
    if (spawned.error != 0) throw NotDrawn(std::string("cannot run dot: ") + std::strerror(spawned.error));
    if (status != 0) throw NotDrawn("dot has failed");
    return text_in(output.get());
} catch (const std::system_error& failure) {
    throw NotDrawn(std::string("cannot run dot: ") + failure.what());
}

using Deadlocks = std::vector<Deadlock>;

/// Nodes that may not be listed.
using Denied = std::set<std::string>;

/// The paths at and below `path` that have participants of a recipe.
std::vector<std::string> paths_of_locks(Client& client, const std::string& path, Denied& denied) {
    std::vector<std::string> locks;
    std::vector<std::string> open{path};
    while (!open.empty()) {
        const std::string at = std::move(open.back());
        open.pop_back();
        error_code ec;
        const auto names = client.children(at, ec).names;
        if (ec == server_error::no_auth) denied.insert(at);
        else if (ec && ec != server_error::no_node) throw Error(ec, "list " + at);
        if (ec) continue;
        const bool is_semaphore =
            contains(names, "locks") && contains(names, "leases"); // without a gate, which servers remove, there are no waiters
        bool is_lock = is_semaphore;
        for (const std::string& name : names) {
            const std::string child = join_path(at, name);
            if (is_lock_node(child)) is_lock = true;
            else if (child != "/zookeeper" && !(is_semaphore && (name == "locks" || name == "leases"))) open.push_back(child);
        }
        if (is_lock) locks.push_back(at);
    }
    std::sort(locks.begin(), locks.end());
    return locks;
}

std::vector<LockState> look_at(Client& client, const std::vector<std::string>& paths, Denied& denied) {
    std::vector<LockState> locks;
    for (const std::string& path : paths) {
        error_code ec;
        auto inspection = inspect(client, path, ec);
        if (ec == server_error::no_auth) denied.insert(path);
        else if (ec && ec != server_error::no_node) throw Error(ec, "inspect " + path);
        for (const Participant& one : inspection.participants) {
            if (one.readable) continue;
            ec = server_error::no_auth; // without its session and its owner, a cycle could be missed or invented
            denied.insert(one.node_path);
        }
        std::erase_if(inspection.participants, [](const Participant& one) { return one.kind == ParticipantKind::latch; });
        if (!ec) locks.push_back({path, std::move(inspection.participants)});
    }
    return locks;
}

std::string who(const Participant& one) {
    return as_word(one.data) + " session " + session_text(one.session_id);
}

/// The waiter of the next wait in the cycle: the participant that wait `i` waits for, or a participant that belongs to it.
const Participant& next_waiter(const Deadlock& deadlock, std::size_t i) {
    return deadlock.cycle[(i + 1) % deadlock.cycle.size()].waiter;
}

std::string title(const Deadlock& deadlock) {
    if (!deadlock.certain) return "possible deadlock of " + std::to_string(deadlock.cycle.size()) + " sessions";
    return deadlock.cycle.size() == 1 ? "certain deadlock of one owner"
                                      : "certain deadlock of " + std::to_string(deadlock.cycle.size()) + " owners";
}

std::string as_text(const Deadlocks& deadlocks) {
    std::string text;
    for (const auto& deadlock : deadlocks) {
        text += title(deadlock) + "\n";
        for (std::size_t i = 0; i < deadlock.cycle.size(); ++i) {
            const Wait& wait = deadlock.cycle[i];
            const Participant& next = next_waiter(deadlock, i);
            text += "  " + who(wait.waiter) + " waits at " + as_word(wait.lock) + " for " + who(wait.ahead) + " which " +
                    (wait.ahead.holds ? "holds " : "waits ") + as_word(wait.ahead.node_path) +
                    (is_run_by(next, wait.ahead) ? " and runs " + who(next) : "") + "\n";
        }
    }
    return text;
}

std::string as_json(const Deadlocks& deadlocks) {
    json::array all;
    for (const auto& deadlock : deadlocks) {
        json::array waits;
        for (std::size_t i = 0; i < deadlock.cycle.size(); ++i) {
            const Wait& wait = deadlock.cycle[i];
            const Participant& next = next_waiter(deadlock, i);
            json::object one{{"lock", json_string(wait.lock)},
                             {"certain", deadlock.certain},
                             {"waiter", json_participant(wait.waiter)},
                             {"ahead", json_participant(wait.ahead)}};
            if (is_run_by(next, wait.ahead)) one.emplace("runs", json_string(next.node_path));
            waits.push_back(std::move(one));
        }
        all.push_back(std::move(waits));
    }
    return serialized(json::object{{"deadlocks", std::move(all)}}) + "\n";
}

/// A quoted string in Graphviz's language.
std::string dot_text(const std::string& text) {
    std::ostringstream out;
    out << std::quoted(text);
    return out.str();
}

/// A participant's name in the drawing: its owner, or its session without one.
std::string name_in_drawing(const Participant& one) {
    return dot_text(one.owner.empty() ? session_text(one.session_id) : one.owner);
}

/// The drawing has an edge from each waiter to the waiter of the next wait. The label of the next waiter is used, because it
/// may hold under another label.
std::string as_dot(const Deadlocks& deadlocks) {
    std::string text = "digraph deadlocks {\n";
    std::set<std::string> drawn;
    for (const auto& [cycle, certain] : deadlocks) {
        for (std::size_t i = 0; i < cycle.size(); ++i) {
            const std::string name = name_in_drawing(cycle[i].waiter);
            if (drawn.insert(name).second) text += "  " + name + " [label=" + dot_text(who(cycle[i].waiter)) + "]\n";
            text += "  " + name + " -> " + name_in_drawing(cycle[(i + 1) % cycle.size()].waiter) +
                    " [label=" + dot_text(as_word(cycle[i].lock)) + (certain ? "" : ", style=dashed") + "]\n";
        }
    }
    return text + "}\n";
}

std::string shown(const Deadlocks& deadlocks, DeadlocksCommand::Format format) {
    switch (format) {
    case DeadlocksCommand::Format::json: return as_json(deadlocks);
    case DeadlocksCommand::Format::dot: return as_dot(deadlocks);
    case DeadlocksCommand::Format::svg: return drawn_by_graphviz(as_dot(deadlocks));
    case DeadlocksCommand::Format::text: break;
    }
    return as_text(deadlocks);
}

} // namespace

int run(const DeadlocksCommand& command) {
    return with_synced_client(command.connection, "deadlocks " + command.path, [&](Client& client) {
        Denied denied;
        const auto paths = paths_of_locks(client, command.path, denied);
        if (paths.empty() && denied == Denied{command.path}) throw Error(server_error::no_auth);
        if (paths.empty() && !client.exists(command.path)) {
            print_error("deadlocks " + command.path + below_which(command.connection) + ": " + std::string(no_such_node));
        }
        const auto first = look_at(client, paths, denied);
        Deadlocks found = find_deadlocks(first);
        if (!found.empty()) found = find_deadlocks(in_both(first, look_at(client, paths, denied)));
        if (!denied.empty()) {
            print_error("deadlocks " + command.path + ": " + std::to_string(denied.size()) +
                        " of the nodes may not be read, and are left out: " + as_word(*denied.begin()) +
                        (denied.size() > 1 ? " and others" : ""));
        }
        try {
            print(shown(found, command.format));
        } catch (const NotDrawn& reason) {
            print_error(std::string("deadlocks ") + command.path + ": " + reason.what());
            return exit_code::not_found;
        }
        return found.empty() ? exit_code::success : exit_code::failure;
    });
}

} // namespace docent::cli
