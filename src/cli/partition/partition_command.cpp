// SPDX-License-Identifier: Apache-2.0
#include "cli/connection.hpp"
#include "cli/guard/process_folder.hpp"
#include "cli/hold/hold.hpp"
#include "cli/hold/owner.hpp"
#include "cli/messages.hpp"
#include "cli/partition/item_processes.hpp"
#include "cli/partition/item_starts.hpp"
#include "cli/run.hpp"
#include "cli/signals.hpp"
#include "posix/event_fd.hpp"
#include "posix/threads.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/partitioner.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <signal.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::size_t longest_id = 255;

/// Whether each later attempt to execute CMD would fail as well.
bool is_lasting(int exec_error) {
    constexpr std::array lasting{ENOENT, EACCES, ENOEXEC, ENOTDIR, ELOOP, ENAMETOOLONG, EPERM};
    return std::find(lasting.begin(), lasting.end(), exec_error) != lasting.end();
}

bool says_cannot_start(int code) {
    return code == exit_code::not_found || code == exit_code::not_executable;
}

/// Runs CMD under the lock of an item. Call it in the process of that item. Returns 126 or 127 only if CMD cannot be started
/// here. A CMD that has run may exit with these codes as well; then returns 1, and docent starts CMD again.
int run_item(const PartitionCommand& command, const std::string& id, const std::string& lock_path,
             const std::shared_ptr<posix::EventFd>& ends) {
    HoldRequest request = command.hold;
    request.path = lock_path;
    request.label = id;
    const auto acquire = [&](Client& client, const QueueTime&, std::stop_token stop,
                             error_code& ec) -> std::optional<HeldLeases> {
        InterProcessMutex mutex(client, request.path, {.node_data = id, .owner = own_owner()});
        Lease lease = mutex.acquire(ec, {.stop = std::move(stop)});
        if (!lease) return std::nullopt;
        lease.keep_node_when_lost(); // CMD may run until its grace is over
        HeldLeases held;
        held.asked_for = ends;
        held.leases.push_back(std::make_shared<const Lease>(std::move(lease)));
        return held;
    };
    const HoldWords words{.kind = "item",
                          .thing = "item",
                          .acquired = "has the item",
                          .given_back = "gave the item up",
                          .asked_for = command.hold.verbose ? "this machine gives the item up" : "",
                          .waits_for_servers = true,
                          .reports_waiting = command.hold.verbose,
                          .late_loss_matters = false,
                          .end_with_lock = true};
    const HoldOutcome outcome = hold(request, acquire, words, ends);
    return says_cannot_start(outcome.exit_code) && !is_lasting(outcome.exec_error) ? exit_code::failure : outcome.exit_code;
}

/// A member of the partition, until a signal comes.
class PartitionRun {
public:
    PartitionRun(const PartitionCommand& command, std::string id, ItemProcesses& processes, Signals& signals)
        : command_(command), id_(std::move(id)), processes_(processes), signals_(signals) {}

    int run(Client& client) {
        if (const auto code = connect(client)) return *code;
        Partitioner member(client, command_.hold.path, command_.items, Partitioner::Assignment([this](auto items) {
                               const std::lock_guard lock(mutex_);
                               assigned_ = std::move(items);
                               changed_.raise();
                           }),
                           options());
        member.start();
        while (!exit_code_ && !processes_.lost()) {
            wait();
            while (signals_.next_to_end()) exit_code_ = exit_code::success;
            take_assignment();
            look();
        }
        return finish(client, member);
    }

private:
    std::string name() const { return "partition " + command_.hold.path; }

    /// Waits for a server, for a limited time: the first connection may fail for ever. Returns the exit code if docent must
    /// end.
    std::optional<int> connect(Client& client) {
        const Connection& connection = command_.hold.connection;
        error_code ec;
        bool interrupted = false;
        {
            std::jthread worker = posix::start_quiet_thread<std::jthread>([&](const std::stop_token& stop) {
                const auto limit = connection_timeout(connection.connect_string) + pause_at_start(connection);
                client.wait_connected(ec, {.timeout = limit, .stop = stop});
                changed_.raise();
            });
            while (!changed_.raised()) {
                posix::wait_readable({signals_.fd(), changed_.fd()});
                if (!signals_.next_to_end()) continue;
                interrupted = true;
                worker.request_stop();
            }
        }
        changed_.clear();
        if (interrupted) return exit_code::success;
        return ec ? std::optional(report_failure(ec, name(), client)) : std::nullopt;
    }

    PartitionOptions options() const {
        PartitionOptions options{.id = id_,
                                 .weight = command_.weight,
                                 .join_delay = command_.join_delay,
                                 .leave_grace = command_.leave_grace,
                                 .keep_items_on_close = command_.keeps_place};
        options.on_failure = [name = name()](const std::exception_ptr& failure) {
            try {
                std::rethrow_exception(failure);
            } catch (const std::exception& e) {
                post_error(name + ": " + e.what());
            }
        };
        return options;
    }

    void wait() const {
        std::optional<milliseconds> pause;
        if (const auto next = starts_.next())
            pause = std::max(std::chrono::ceil<milliseconds>(*next - steady_clock::now()), milliseconds(0));
        posix::wait_readable({signals_.fd(), changed_.fd(), processes_.fd()}, pause);
    }

    void take_assignment() {
        if (!changed_.raised()) return;
        const std::lock_guard lock(mutex_);
        changed_.clear();
        if (command_.hold.verbose) {
            post_error(name() + ": " + std::to_string(assigned_.size()) + " items of " + std::to_string(command_.items.size()));
        }
        starts_.want(assigned_);
    }

    void report_no_process(const ItemProcesses::Ended& ended) const {
        post_error(name() + ": cannot start a process for item " + ended.item + ": " + std::strerror(ended.error) +
                   "; trying again later");
    }

    void look() {
        while (const auto ended = processes_.next_ended()) {
            starts_.on_ended(ended->item, steady_clock::now());
            if (ended->error != 0) report_no_process(*ended);
            if (!says_cannot_start(ended->exit_code) || exit_code_) continue;
            print_error(name() + ": CMD cannot be started here; the items go to other machines");
            exit_code_ = ended->exit_code;
        }
        if (exit_code_) starts_.want({});
        const auto orders = starts_.due(steady_clock::now());
        for (const auto& item : orders.end) processes_.end(item);
        for (const auto& item : orders.begin) processes_.begin(item);
    }

    /// Gives the items to the others in the plan first, so that they queue up while CMD ends here. With --keep-place, leaves
    /// after the end of CMD: the time of --leave-grace is for the restart.
    int finish(Client& client, Partitioner& member) {
        error_code ec;
        if (!command_.keeps_place) member.close(ec, {.timeout = 2s});
        starts_.want({});
        look();
        while (starts_.has_processes() && !processes_.lost()) {
            wait();
            while (signals_.next_to_end()) continue; // docent ends already
            changed_.clear();
            look();
        }
        if (command_.keeps_place) member.close(ec, {.timeout = 2s});
        client.close();
        if (exit_code_) return *exit_code_;
        print_error(name() + ": the process that starts the commands was killed");
        return exit_code::failure;
    }

    const PartitionCommand& command_;
    const std::string id_;
    ItemProcesses& processes_;
    Signals& signals_;
    ItemStarts starts_;
    std::optional<int> exit_code_; // set when docent shall end
    posix::EventFd changed_;
    std::mutex mutex_;
    std::vector<std::string> assigned_; // guarded
};

} // namespace

int run(const PartitionCommand& command) {
    static_cast<void>(ProcessFolder()); // throws where CMD could not be ended with its lock: then the items stay with others
    std::string id = command.id.value_or(label_of(command.hold));
    id.resize(std::min(id.size(), longest_id));
    const auto item_path = [&](const std::string& item) { return partition_item_path(command.hold.path, item); };
    ItemProcesses processes([&](const std::string& item, const std::shared_ptr<posix::EventFd>& ends) {
        return run_item(command, id, item_path(item), ends);
    }); // before the first thread
    Signals signals{SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    ClientConfig config = client_config(command.hold.connection);
    config.own_parents = command.hold.own_parents;
    const std::string name = "partition " + command.hold.path;
    return with_client(std::move(config), name, [&](Client& client) {
        PartitionRun partition(command, id, processes, signals);
        return partition.run(client);
    });
}

} // namespace docent::cli
