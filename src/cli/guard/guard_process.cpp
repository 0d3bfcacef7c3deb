// SPDX-License-Identifier: Apache-2.0

#include "cli/guard/guard_process.hpp"
#include "cli/guard/searcher.hpp"
#include "posix/spawn.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <sstream>
#include <system_error>
#include <utility>

namespace docent::cli {

using namespace std::chrono_literals;

void GuardMachine::on_order(const GuardOrder& order) {
    switch (order.kind) {
    case GuardOrder::Kind::arm:
        armed_ = true;
        bound_ = order.time;
        grace_ = order.grace;
        break;
    case GuardOrder::Kind::extend:
        if (!bound_passed_) bound_ = std::max(bound_, order.time);
        break;
    case GuardOrder::Kind::stop_by: stop_by_ = order.time; break;
    case GuardOrder::Kind::disarm: armed_ = false; break;
    }
}

/// docent itself acts at the bound. The guard acts later, because some programs end at once when they are asked twice.
GuardMachine::time_point GuardMachine::ask_at() const {
    return bound_ + std::min<duration>(50ms, grace_);
}

/// The bound also counts after docent has begun to stop the program: docent may have been stopped since then.
GuardMachine::time_point GuardMachine::kill_at() const {
    const auto after_loss = bound_ + grace_;
    return stop_by_ ? std::min(*stop_by_, after_loss) : after_loss;
}

GuardMachine::Action GuardMachine::on_time(time_point now) {
    if (!armed_) return owner_gone_ ? Action::leave : Action::nothing;
    if (owner_gone_) return Action::kill;
    const bool passed = !stop_by_ && now >= ask_at();
    const bool first = passed && !std::exchange(bound_passed_, true);
    if (now >= kill_at()) return Action::kill;
    return first ? Action::ask : Action::nothing;
}

std::optional<GuardMachine::time_point> GuardMachine::due() const {
    if (!armed_) return owner_gone_ ? std::optional(time_point{}) : std::nullopt;
    if (owner_gone_) return time_point{};
    return stop_by_ || bound_passed_ ? kill_at() : ask_at();
}

namespace {

/// The body of the child that becomes the program. Waits for the start packet from `docent`, a socket, and executes `words`
/// with the variables of the packet and the signal mask `mask`, unless it is too late. Reports a failure on the socket, which
/// exec closes.
void become_program(const std::vector<std::string>& words, const sigset_t& mask, int docent) {
    std::string message(longest_message, '\0');
    const ssize_t length = ::recv(docent, message.data(), message.size(), 0); // no signal interrupts: all are blocked
    BootClock::time_point latest;
    if (length < static_cast<ssize_t>(sizeof latest)) return; // docent has closed its end: do not run the program
    std::memcpy(&latest, message.data(), sizeof latest);
    std::istringstream entries(message.substr(sizeof latest, static_cast<std::size_t>(length) - sizeof latest));
    std::vector<std::string> variables;
    for (std::string entry; std::getline(entries, entry, '\0');) variables.push_back(entry);
    const posix::ProgramImage image(words, variables);
    posix::report_error(docent, BootClock::now() < latest ? image.execute(mask) : too_late);
}

void send_report(const GuardPost& post, GuardReport::Kind kind, int value) {
    const GuardReport report{kind, value};
    ::send(post.orders.get(), &report, sizeof report, MSG_NOSIGNAL | MSG_DONTWAIT);
}

class GuardProcess {
public:
    explicit GuardProcess(GuardPost& post) : post_(post) {
        sigset_t child_signal;
        ::sigemptyset(&child_signal);
        ::sigaddset(&child_signal, SIGCHLD);
        children_ = posix::UniqueFd(::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK));
        if (!children_) throw posix::last_error("signalfd");
        timer_ = posix::UniqueFd(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
        if (!timer_) throw posix::last_error("timerfd_create");
        if (!adopt_orphans() || ::prctl(PR_SET_PDEATHSIG, SIGCONT) != 0) { // docent's end wakes a guard that was stopped
            throw posix::last_error("prctl");
        }
        program_ = posix::fork_child([&, guard = ::getpid()](const sigset_t&) {
            posix::die_with(guard); // first: to enter a cgroup can take long
            post_.orders.reset();
            if (post_.cgroup != nullptr) post_.cgroup->enter(); // before the program starts
            become_program(post_.words, post_.mask, post_.start.get());
        });
        post_.start.reset();
        detach(); // before the thread starts: with a sanitizer, a thread opens a pipe, and detach() would close that
        searcher_.emplace();
        send_report(post_, GuardReport::Kind::started, program_);
    }

    void run() {
        while (carry_out(machine_.on_time(BootClock::now()))) {
            wait();
            read_orders();
            collect_children();
        }
        if (post_.cgroup != nullptr) post_.cgroup->remove();
    }

private:
    /// Leaves the terminal, and closes every descriptor whose end another process may wait for.
    void detach() const {
        ::setsid();
        std::vector<int> kept{post_.orders.get(), children_.get(), timer_.get(), post_.processes->fd()};
        if (post_.cgroup != nullptr) {
            const auto more = post_.cgroup->descriptors();
            kept.insert(kept.end(), more.begin(), more.end());
        }
        std::sort(kept.begin(), kept.end());
        unsigned first = 0;
        for (const int fd : kept) {
            if (static_cast<unsigned>(fd) > first) posix::close_descriptors(first, static_cast<unsigned>(fd) - 1, 0);
            first = static_cast<unsigned>(fd) + 1;
        }
        posix::close_descriptors(first, ~0U, 0);
    }

    /// Returns false when the guard must end.
    bool carry_out(GuardMachine::Action action) {
        if (action == GuardMachine::Action::leave) return false;
        if (action == GuardMachine::Action::ask) ask_all();
        if (action == GuardMachine::Action::kill) kill_all();
        if (machine_.bound_passed() && !std::exchange(reported_, true)) {
            send_report(post_, GuardReport::Kind::bound_passed, 0);
        }
        return true;
    }

    /// Uses the program's process id: that needs neither memory nor descriptors.
    void send(int signal) const {
        if (!program_ended_) ::kill(program_, signal);
    }

    void ask_all() {
        send(post_.end_signal);
        send(SIGCONT);
        try {
            searcher_->send(held_, {post_.end_signal, SIGCONT}, program_);
        } catch (const std::bad_alloc&) { // processes that are not asked are killed later
        }
    }

    /// Each call kills the program and its descendants, also while a search is under way.
    void kill_all() {
        send(SIGKILL);
        try {
            held_->send_to_family({SIGKILL}, program_);
            if (searcher_->look(held_, SIGKILL, program_, collect_children(), 0ms) != Left::nothing) return;
        } catch (const std::bad_alloc&) { // a guard that has ended could not try again
            return;
        }
        machine_.on_nothing_left();
        pause_ = 1ms;
    }

    /// Waits for an event. During `kill`, waits a short time only: the processes may start others.
    void wait() {
        std::array<pollfd, 3> wanted{
            {{post_.orders.get(), POLLIN, 0}, {children_.get(), POLLIN, 0}, {timer_.get(), POLLIN, 0}}};
        const auto due = machine_.due();
        const bool busy = due && *due <= BootClock::now();
        if (busy) {
            ::poll(nullptr, 0, static_cast<int>(pause_.count()));
            pause_ = std::min(2 * pause_, 1000ms);
        } else {
            set_timer(due);
            ::poll(wanted.data(), wanted.size(), -1);
        }
    }

    void set_timer(std::optional<BootClock::time_point> when) const {
        const auto at = when ? std::max(when->time_since_epoch(), BootClock::duration{1}) : BootClock::duration{0}; // 0: never
        itimerspec spec{};
        spec.it_value.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(at).count();
        spec.it_value.tv_nsec = (at % 1s).count();
        ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
    }

    void read_orders() {
        for (;;) {
            const ssize_t length = ::recv(post_.orders.get(), message_.data(), message_.size(), MSG_DONTWAIT);
            if (length < 0 && (errno == EINTR || errno == ECONNRESET)) continue; // reset: docent ended with unread reports
            if (length < 0 && errno == EAGAIN) return;
            if (length < static_cast<ssize_t>(sizeof(GuardOrder))) return machine_.on_owner_gone();
            GuardOrder order;
            std::memcpy(&order, message_.data(), sizeof order);
            if (order.kind == GuardOrder::Kind::arm) {
                held_ = std::make_shared<HeldProcesses>(
                    post_.processes, post_.cgroup, ::getpid(), ::getpid(),
                    message_.substr(sizeof order, static_cast<std::size_t>(length) - sizeof order));
            }
            machine_.on_order(order);
        }
    }

    /// Reports the program's end, but does not collect it: docent may still signal its process id. After that, no child is
    /// collected; ended children count as gone. Returns whether the program has ended.
    bool collect_children() {
        signalfd_siginfo arrived{};
        while (::read(children_.get(), &arrived, sizeof arrived) > 0) continue;
        while (!program_ended_) {
            siginfo_t info{};
            if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) break;
            if (info.si_pid == program_) {
                program_ended_ = true;
                send_report(post_, GuardReport::Kind::ended, info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status);
            } else {
                ::waitpid(info.si_pid, nullptr, WNOHANG);
            }
        }
        return program_ended_;
    }

    GuardPost& post_;
    posix::UniqueFd children_;
    posix::UniqueFd timer_;
    pid_t program_ = 0;
    bool program_ended_ = false;
    bool reported_ = false; // that the bound has passed
    GuardMachine machine_;
    std::shared_ptr<const HeldProcesses> held_; // set by the order `arm`
    std::optional<Searcher> searcher_;          // from the program's start on
    std::string message_ = std::string(longest_message, '\0');
    std::chrono::milliseconds pause_ = 1ms;
};

} // namespace

void run_guard(GuardPost post) {
    try {
        GuardProcess(post).run();
    } catch (const std::system_error& e) {
        send_report(post, GuardReport::Kind::failed, e.code().value());
    }
}

} // namespace docent::cli
