// SPDX-License-Identifier: Apache-2.0

#include "cli/guard/guard.hpp"
#include "posix/spawn.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

namespace docent::cli {

using namespace std::chrono_literals;

namespace {

/// Whether one of these events of the descriptor comes until `latest`, or the end of the other side.
bool comes_by(int fd, short events, BootClock::time_point latest) {
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(latest - BootClock::now());
        pollfd wanted{fd, events, 0};
        if (::poll(&wanted, 1, static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0))) > 0) return true;
        if (left.count() <= 0) return false;
    }
}

} // namespace

/// Adopts orphans only if docent has no children yet. If docent has children, a shell has executed it (`exec docent`), and the
/// shell's children would be mistaken for CMD's.
Guard::Guard(const std::vector<std::string>& words, int end_signal)
    : end_signal_(end_signal), cgroup_(CommandCgroup::make(*processes_)), adopts_(!has_children() && adopt_orphans()) {
    ::signal(SIGCHLD, SIG_DFL); // a program that starts docent may have ignored it, and then a child's status is lost
    posix::Channel orders = posix::make_channel(SOCK_SEQPACKET);
    posix::Channel start_channel = posix::make_channel(SOCK_SEQPACKET);
    guard_ = posix::fork_child([&](const sigset_t& mask) {
        orders.ours.reset(); // so that each side notices the end of the other
        start_channel.ours.reset();
        run_guard({words, mask, end_signal, processes_, cgroup_, std::move(orders.theirs), std::move(start_channel.theirs)});
    });
    orders_ = std::move(orders.ours);
    start_channel_ = std::move(start_channel.ours);
    orders.theirs.reset();
    const GuardReport report = read_report(0);
    if (report.kind != GuardReport::Kind::started) {
        orders_.reset();
        ::waitpid(guard_, nullptr, 0);
        throw std::system_error(report.value, std::generic_category(), "cannot start the process that guards the command");
    }
    program_ = report.value;
    program_handle_.emplace(*processes_, program_);
    searcher_.emplace();
}

/// A guard that goes on removes the cgroup. Until then, the processes that it kills must stay inside.
Guard::~Guard() {
    ::shutdown(orders_.get(), SHUT_WR); // the other direction shows the guard's end
    start_channel_.reset();
    ::kill(guard_, SIGCONT);
    const bool guard_ends = comes_by(orders_.get(), 0, BootClock::now() + (search_left_ ? 0s : 10s));
    if (guard_ends) ::waitpid(guard_, nullptr, 0);
    while (adopts_ && ::waitpid(-1, nullptr, WNOHANG) > 0) continue; // adopted orphans, so that the next guard finds none
    if (cgroup_ == nullptr) return;
    if (guard_ends) cgroup_->remove(); // not in the destructor: a search that goes on keeps the cgroup object
    else cgroup_->leave();
}

int Guard::start(BootClock::time_point bound, BootClock::duration grace, const std::vector<std::string>& more_environment) {
    held_ =
        std::make_shared<HeldProcesses>(processes_, cgroup_, adopts_ ? ::getpid() : guard_, guard_, more_environment.front());
    give({GuardOrder::Kind::arm, bound, grace}, more_environment.front());
    std::string message(reinterpret_cast<const char*>(&bound), sizeof bound);
    for (const auto& entry : more_environment) message.append(entry).push_back('\0');
    int error = 0;
    if (::send(start_channel_.get(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        error = errno == EMSGSIZE ? E2BIG : errno;
    else error = comes_by(start_channel_.get(), POLLIN, bound) ? posix::read_reported_error(start_channel_.get()) : too_late;
    start_channel_.reset();
    // The guard may end the child at any moment after the bound.
    return error != 0 && BootClock::now() >= bound ? too_late : error;
}

void Guard::extend(BootClock::time_point bound) {
    give({GuardOrder::Kind::extend, bound, {}});
    wake();
}

void Guard::wake() noexcept {
    if (!lost_) ::kill(guard_, SIGCONT);
}

/// Signals the program before it tells the guard: with a short grace, the guard might kill before the program was asked.
void Guard::ask_to_end(BootClock::time_point kill_at) {
    send(end_signal_);
    send(SIGCONT);
    give({GuardOrder::Kind::stop_by, kill_at, {}});
    wake();
    searcher_->send(held_, {end_signal_, SIGCONT}, program_);
}

/// This order must arrive, so it waits for room in the socket until a guard that was stopped continues.
void Guard::stand_down() {
    if (lost_ || search_left_) return;
    wake();
    const GuardOrder order{GuardOrder::Kind::disarm, {}, {}};
    while (::send(orders_.get(), &order, sizeof order, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
}

/// Never waits: a guard that is stopped does not read.
void Guard::give(const GuardOrder& order, std::string_view more) noexcept {
    iovec parts[] = {{const_cast<GuardOrder*>(&order), sizeof order}, {const_cast<char*>(more.data()), more.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    ::sendmsg(orders_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

GuardReport Guard::read_report(int flags) noexcept {
    GuardReport report{GuardReport::Kind::failed, ECHILD};
    ssize_t length = 0;
    do {
        length = ::recv(orders_.get(), &report, sizeof report, flags);
    } while (length < 0 && errno == EINTR);
    if (length < 0 && errno == EAGAIN) report.value = EAGAIN;
    return report;
}

std::optional<int> Guard::poll_ended() {
    while (!wait_status_ && !lost_) {
        const GuardReport report = read_report(MSG_DONTWAIT);
        if (report.kind == GuardReport::Kind::ended) wait_status_ = report.value;
        else if (report.kind == GuardReport::Kind::bound_passed) bound_passed_ = true;
        else if (report.value == EAGAIN) break;
        else lost_ = report.kind == GuardReport::Kind::failed;
    }
    if (!wait_status_ && lost_) { // the kernel then kills the program, unless it has changed its user
        int status = 0;
        if (::waitpid(program_, &status, WNOHANG) == program_) wait_status_ = status;
        else if (!adopts_ && program_is_gone()) wait_status_ = SIGKILL;
    }
    return wait_status_;
}

/// Uses the process id if docent had no descriptor left for a handle. The id is certainly the program's until the guard, or
/// docent after the guard's end, collects the program.
void Guard::send_program(int signal) const {
    if (*program_handle_) program_handle_->send(signal);
    else if (!lost_ || adopts_) ::kill(program_, signal);
}

bool Guard::program_is_gone() const {
    if (!*program_handle_) return ::kill(program_, 0) != 0;
    const auto now = program_handle_->look();
    return !now || now->ended;
}

void Guard::send(int signal) {
    if (!poll_ended()) send_program(signal);
}

/// Kills the program first: that needs no descriptors.
void Guard::kill_all() {
    kills_ = true;
    send(SIGKILL);
    held_->send_to_family({SIGKILL}, program_);
}

/// A search reads all of /proc. While the program or a descendant runs, docent does not search: the guard searches, and kills
/// each process that it finds. If the guard is gone, docent searches itself. If neither docent nor a guard adopts orphans, only
/// the search finds them. Then a search that has not ended counts as `something`.
Left Guard::look() {
    constexpr auto usual_search = 20ms;
    const bool program_ended = poll_ended().has_value();
    const bool family_left = !program_ended || held_->any_in_family();
    const bool kills_alone = kills_ && lost_;
    if (family_left && !kills_alone) return Left::something;
    const Left left = searcher_->look(held_, kills_ ? SIGKILL : 0, program_, program_ended, usual_search);
    if (left != Left::unknown) return left;
    const bool adopted = adopts_ || !lost_;
    return !family_left && adopted ? Left::unknown : Left::something;
}

pid_t Guard::leave_search() {
    search_left_ = true;
    held_->leave();
    return held_->searched();
}

} // namespace docent::cli
