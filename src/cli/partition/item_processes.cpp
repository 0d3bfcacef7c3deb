// SPDX-License-Identifier: Apache-2.0
#include "cli/partition/item_processes.hpp"

#include "cli/messages.hpp"
#include "posix/spawn.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::cli {
namespace {

// A packet to the helper is one of these letters and an item. A packet from it is a ProcessEnd and the item.
constexpr char begin_order = 'b';
constexpr char end_order = 'e';

/// Larger than each packet.
constexpr std::size_t longest_packet = 512;

struct ProcessEnd {
    int status; // as the kernel reports it
    int error;  // errno, if the process could not be made
};

/// Raises the limit to the highest that is allowed, because the helper needs a descriptor for each item. Returns the limit that
/// docent had: CMD keeps it.
rlimit raise_descriptor_limit() {
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    const rlimit raised{before.rlim_max, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &raised);
    return before;
}

/// The helper process. Starts and ends the processes of items by docent's orders, and reports their ends.
class Helper {
public:
    Helper(posix::UniqueFd orders, const ItemProcesses::Run& run, const sigset_t& mask)
        : orders_(std::move(orders)), run_(run), mask_(mask) {
        ::setpgid(0, 0);                    // not the terminal's foreground group
        ::prctl(PR_SET_PDEATHSIG, SIGCONT); // so that a helper that was stopped notices docent's end
        ::signal(SIGCHLD, SIG_DFL);         // if it was ignored when docent was started, the status of a child is lost
        sigset_t children;
        ::sigemptyset(&children);
        ::sigaddset(&children, SIGCHLD);
        ended_ = posix::UniqueFd(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
    }

    /// Carries out orders until docent and the processes of all items have ended.
    void serve() {
        while (owner_lives_ || !items_.empty()) {
            const short to_owner = untold_.empty() ? 0 : POLLOUT;
            std::array<pollfd, 2> wanted{pollfd{ended_.get(), POLLIN, 0},
                                         pollfd{orders_.get(), static_cast<short>(POLLIN | to_owner), 0}};
            ::poll(wanted.data(), owner_lives_ ? 2 : 1, -1);
            signalfd_siginfo information{};
            while (::read(ended_.get(), &information, sizeof information) > 0) continue;
            reap();
            if (owner_lives_ && (wanted[1].revents & ~POLLOUT) != 0) take_order();
            tell_owner();
        }
    }

private:
    struct Item {
        pid_t process;
        posix::UniqueFd keeps_running; // closed when the item must end
    };

    /// Also wakes a process that was stopped.
    static void end(Item& item) {
        item.keeps_running.reset();
        ::kill(item.process, SIGCONT);
    }

    void take_order() {
        std::array<char, longest_packet> packet{};
        const ssize_t size = ::recv(orders_.get(), packet.data(), packet.size(), 0);
        if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (size <= 0) {
            owner_lives_ = false;
            return end_all();
        }
        const std::string item(packet.data() + 1, static_cast<std::size_t>(size) - 1);
        if (packet[0] == begin_order) return begin(item);
        if (const auto found = items_.find(item); found != items_.end()) end(found->second);
    }

    void begin(const std::string& item) {
        try {
            std::array<int, 2> pipe{};
            if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw posix::last_error("pipe");
            posix::UniqueFd ends(pipe[0]);
            posix::UniqueFd keeps_running(pipe[1]);
            const pid_t process = posix::fork_child([&](const sigset_t&) {
                keeps_running.reset();
                run(item, std::make_shared<posix::EventFd>(std::move(ends)));
            });
            items_.insert_or_assign(item, Item{process, std::move(keeps_running)});
        } catch (const std::system_error& e) {
            add_ended(item, {exit_code::failure << 8, e.code().value()});
        }
    }

    /// In the process of an item.
    [[noreturn]] void run(const std::string& item, const std::shared_ptr<posix::EventFd>& ends) {
        ::setsid(); // no terminal, which could stop it, and a process group of its own: `kill 0` in CMD ends this item only
        ::prctl(PR_SET_PDEATHSIG, SIGCONT);
        orders_.reset();
        ended_.reset();
        items_.clear(); // closes the descriptors of the other items
        ::setrlimit(RLIMIT_NOFILE, &limit_before_);
        const posix::UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        ::dup2(nothing.get(), STDIN_FILENO); // all items have the same terminal
        ::setenv("DOCENT_ITEM", item.c_str(), 1);
        ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
        int code = exit_code::failure;
        try {
            code = run_(item, ends);
        } catch (const std::exception& e) {
            print_error("item " + item + ": " + e.what());
        }
        flush_errors();
        ::_exit(code);
    }

    void reap() {
        int status = 0;
        for (pid_t process = 0; (process = ::waitpid(-1, &status, WNOHANG)) > 0;) {
            for (auto next = items_.begin(); next != items_.end(); ++next) {
                if (next->second.process != process) continue;
                add_ended(next->first, {status, 0});
                items_.erase(next);
                break;
            }
        }
    }

    void add_ended(const std::string& item, ProcessEnd end) {
        std::string packet(sizeof end, '\0');
        std::memcpy(packet.data(), &end, sizeof end);
        untold_.push_back(packet + item);
    }
    /// Never waits: docent may wait until the helper takes an order.
    void tell_owner() {
        while (owner_lives_ && !untold_.empty()) {
            const std::string& packet = untold_.front();
            if (::send(orders_.get(), packet.data(), packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EINTR) {
                return; // the socket is full, or docent has ended
            }
            untold_.pop_front();
        }
    }

    void end_all() {
        for (auto& [name, item] : items_) end(item);
    }

    posix::UniqueFd orders_;
    posix::UniqueFd ended_;
    const ItemProcesses::Run& run_;
    const sigset_t& mask_;
    const rlimit limit_before_ = raise_descriptor_limit();
    std::map<std::string, Item> items_;
    std::deque<std::string> untold_; // packets for docent
    bool owner_lives_ = true;
};

} // namespace

ItemProcesses::ItemProcesses(Run run) {
    posix::Channel orders = posix::make_channel(SOCK_SEQPACKET);
    helper_ = posix::fork_child([&](const sigset_t& mask) {
        orders.ours.reset(); // so that the helper notices the end of docent
        Helper(std::move(orders.theirs), run, mask).serve();
    });
    orders_ = std::move(orders.ours);
}

ItemProcesses::~ItemProcesses() {
    orders_.reset();
    ::kill(helper_, SIGCONT);
    while (::waitpid(helper_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void ItemProcesses::begin(const std::string& item) {
    give(begin_order, item);
}

void ItemProcesses::end(const std::string& item) {
    give(end_order, item);
}

/// Wakes a helper that was stopped: the socket may be full.
void ItemProcesses::give(char kind, const std::string& item) {
    const std::string packet = kind + item;
    if (!lost_) ::kill(helper_, SIGCONT);
    while (::send(orders_.get(), packet.data(), packet.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
}

std::optional<ItemProcesses::Ended> ItemProcesses::next_ended() {
    std::array<char, longest_packet> packet{};
    const ssize_t size = ::recv(orders_.get(), packet.data(), packet.size(), MSG_DONTWAIT);
    if (size < 0) {
        lost_ = lost_ || (errno != EAGAIN && errno != EINTR);
        return std::nullopt;
    }
    lost_ = lost_ || size == 0;
    if (lost_) return std::nullopt;
    ProcessEnd end{};
    std::memcpy(&end, packet.data(), sizeof end);
    return Ended{std::string(packet.data() + sizeof end, static_cast<std::size_t>(size) - sizeof end),
                 WIFEXITED(end.status) ? WEXITSTATUS(end.status) : exit_code::by_signal(WTERMSIG(end.status)), end.error};
}

} // namespace docent::cli
