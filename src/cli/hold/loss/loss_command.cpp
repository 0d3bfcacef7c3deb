// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/loss/loss_command.hpp"

#include "cli/messages.hpp"
#include "posix/spawn.hpp"

#include <cstddef>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

namespace docent::cli {
namespace {

/// The variables for the first lost lease. Their names differ from CMD's variables, because processes with those are ended.
std::vector<std::string> variables(const HoldRequest& request, const HeldLeases& held, LossReason reason) {
    std::size_t lost = 0;
    while (lost + 1 < held.leases.size() && held.leases[lost]->state() != LeaseState::lost) ++lost;
    const Lease& lease = *held.leases.at(lost);
    const bool is_first = lost == 0 || request.more_paths.empty(); // a semaphore has several leases at one path
    return {"DOCENT_LOST_PATH=" + (is_first ? request.path : request.more_paths.at(lost - 1)),
            "DOCENT_LOST_NODE=" + lease.node_path(), "DOCENT_LOST_TOKEN=" + std::to_string(lease.fencing_token()),
            "DOCENT_LOST_REASON=" + std::string(to_string(reason)),
            "DOCENT_LOCK_NODE"}; // removed: it names the lock of an outer docent, which would end this command
}

} // namespace

void LossCommand::start() {
    if (!request_.on_lost || std::exchange(started_, true)) return;
    try {
        const posix::ProgramImage shell({"/bin/sh", "-c", *request_.on_lost}, variables(request_, held_, losses_.reason()));
        const auto spawned = posix::spawn_detached(shell, {.output = STDERR_FILENO});
        if (spawned.error != 0) post_error(std::string("cannot run --on-lost: ") + std::strerror(spawned.error));
    } catch (const std::system_error& error) {
        post_error(std::string("cannot run --on-lost: ") + error.what());
    }
}

} // namespace docent::cli
