// SPDX-License-Identifier: Apache-2.0
#include "testing/process/watchdog.hpp"

#include "posix/channel.hpp"

#include <signal.h>
#include <sys/socket.h>

#include <system_error>
#include <utility>

namespace docent::testing {

using namespace std::chrono_literals;

namespace {

// A killed process writes nothing when it cannot be signalled any more. The wait has a limit, because in a container possibly
// no process collects it.
constexpr auto script = R"(trap '' HUP INT TERM
PATH=/usr/bin:/bin:$PATH
cd /
server=0
while read -r pid; do server=$pid; done
if [ "$server" -gt 0 ]; then
    kill -9 "$server"
    for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$server" || break; sleep 0.05; done
fi
rm -rf -- "$1"
)";

} // namespace

Watchdog::Watchdog(const std::filesystem::path& folder) : folder_(folder) {
    try {
        start();
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(folder_, ignored); // the folder is empty
        throw;
    }
}

void Watchdog::start() {
    posix::Channel channel = posix::make_channel();
    ours_ = std::move(channel.ours);
    process_ = ChildProcess(
        {.arguments = {"/bin/sh", "-c", script, "docent-watchdog", folder_.string()}, .standard_input = channel.theirs.get()});
}

Watchdog::~Watchdog() {
    ours_.reset();
    if (!process_.wait_ended(10s)) {
        process_.send(SIGKILL);
        process_.wait_ended(1s);
    }
    std::error_code ignored; // normally the folder is gone
    std::filesystem::remove_all(folder_, ignored);
}

void Watchdog::forget_process() noexcept {
    static_cast<void>(::send(ours_.get(), "0\n", 2, MSG_NOSIGNAL)); // a socket: no SIGPIPE for the host program
}

} // namespace docent::testing
