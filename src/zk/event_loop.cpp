// SPDX-License-Identifier: Apache-2.0
#include "zk/event_loop.hpp"

#include "posix/boot_timer.hpp"
#include "posix/descriptors.hpp"
#include "posix/process_mark.hpp"
#include "zk/c_client.hpp"
#include "zk/input/frame_guard.hpp"
#include "zk/input/shared_socket.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace docent::zk {
namespace {

using wait_type = asio::posix::stream_descriptor::wait_type;

error_code last_error() {
    return {errno, boost::system::system_category()};
}

bool is_ready(int descriptor, short events) {
    pollfd polled{descriptor, events, 0};
    return ::poll(&polled, 1, 0) > 0;
}

bool is_readable(int descriptor) {
    return is_ready(descriptor, POLLIN);
}

bool has_room(int descriptor) {
    return is_ready(descriptor, POLLOUT);
}

/// While a socket is corked, the kernel sends small packets together.
void cork(int descriptor, bool on) {
    const int value = on ? 1 : 0;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_CORK, &value, sizeof value);
}

/// Sends the bytes that wait in a corked socket. The socket stays corked (TCP_NODELAY in tcp(7)).
void uncork_once(int descriptor) {
    const int value = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &value, sizeof value);
}

class AsioTimer : public EventLoop::Timer {
public:
    explicit AsioTimer(const asio::any_io_executor& executor) : timer_(std::in_place, executor) {}

    void start(std::chrono::milliseconds delay, EventLoop::Handler handler) override {
        if (!timer_.is_here()) return;
        timer_->expires_after(delay);
        timer_->async_wait([alive = std::weak_ptr(alive_), mine = ++*alive_, handler = std::move(handler)](error_code) {
            // Otherwise the timer was cancelled, started again, or destroyed.
            if (const auto current = alive.lock(); current && *current == mine) handler();
        });
    }
    void cancel() override {
        ++*alive_;
        if (timer_.is_here()) timer_->cancel();
    }

private:
    posix::ProcessBound<asio::steady_timer> timer_;
    std::shared_ptr<std::uint64_t> alive_ = std::make_shared<std::uint64_t>(0); // counts starts and cancellations
};

class BootAlarm : public EventLoop::Alarm {
public:
    explicit BootAlarm(std::shared_ptr<BootTimer> timer) : timer_(std::move(timer)) {}
    ~BootAlarm() override { timer_->close(); }
    BootAlarm(const BootAlarm&) = delete;
    BootAlarm& operator=(const BootAlarm&) = delete;

    void arm(BootClock::time_point when) override { timer_->arm(when); }

private:
    std::shared_ptr<BootTimer> timer_;
};

/// A dup of the C client's descriptor. The C client closes its descriptor inside its calls, and another socket gets the same
/// number (docs/contributing/c-client.md).
class DupSocket : public EventLoop::Socket {
public:
    explicit DupSocket(asio::posix::stream_descriptor descriptor) : descriptor_(std::in_place, std::move(descriptor)) {}

    void on_readable(EventLoop::Handler handler) override { wait(wait_type::wait_read, std::move(handler)); }
    void on_writable(EventLoop::Handler handler) override { wait(wait_type::wait_write, std::move(handler)); }
    bool readable() override { return is_readable(descriptor_->native_handle()); }
    void shut() override { shut_and_discard(descriptor_->native_handle()); }
    void hold_back(bool on) override { cork(descriptor_->native_handle(), on); }
    void let_go() override { uncork_once(descriptor_->native_handle()); }
    int descriptor() override { return descriptor_->native_handle(); }

private:
    void wait(wait_type what, EventLoop::Handler handler) {
        descriptor_->async_wait(what, [alive = std::weak_ptr(alive_), handler = std::move(handler)](error_code ec) {
            if (!ec && !alive.expired()) handler();
        });
    }

    posix::ProcessBound<asio::posix::stream_descriptor> descriptor_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

/// The same, which a thread that waits for an answer may read instead of the one that runs Asio.
class LendingSocket : public EventLoop::Socket {
public:
    LendingSocket(const asio::any_io_executor& executor, std::shared_ptr<SharedSocket> shared,
                  std::shared_ptr<SharedInput> input)
        : epoll_(std::in_place, executor), shared_(std::move(shared)), input_(std::move(input)) {}
    ~LendingSocket() override {
        if (!epoll_.is_here()) {
            posix::keep_for_ever(std::move(shared_));
            return;
        }
        input_->withdraw(shared_);
        shared_->end();
        shared_->set_reader(nullptr);
        if (epoll_->is_open()) epoll_->release(); // it is the shared socket's
    }
    LendingSocket(const LendingSocket&) = delete;
    LendingSocket& operator=(const LendingSocket&) = delete;

    /// First, and once.
    error_code open() {
        error_code ec;
        epoll_->assign(shared_->epoll(), ec);
        if (ec) return ec;
        shared_->set_reader([this] { return call(readable_); });
        input_->offer(shared_);
        return {};
    }

    void on_readable(EventLoop::Handler handler) override {
        readable_ = std::move(handler);
        shared_->want_input(true);
        wait();
    }
    void on_writable(EventLoop::Handler handler) override {
        writable_ = std::move(handler);
        shared_->want_room(true);
        wait();
    }
    bool readable() override { return is_readable(shared_->socket()); }
    void shut() override { shut_and_discard(shared_->socket()); }
    void hold_back(bool on) override { cork(shared_->socket(), on); }
    void let_go() override { uncork_once(shared_->socket()); }
    int descriptor() override { return shared_->socket(); }

private:
    /// Stays when somebody else has read meanwhile.
    void wait() {
        if (std::exchange(is_waiting_, true)) return;
        epoll_->async_wait(wait_type::wait_read, [this, alive = std::weak_ptr(alive_)](error_code ec) {
            if (ec || alive.expired()) return;
            is_waiting_ = false;
            on_ready();
        });
    }
    void on_ready() {
        shared_->look_at_loan();
        const auto alive = std::weak_ptr(alive_);
        if (writable_ && has_room(shared_->socket())) {
            shared_->want_room(false);
            call(writable_);
            if (alive.expired()) return;
        }
        call(readable_);
        if (alive.expired()) return;
        if (!readable_) shared_->want_input(false); // what is there is not to be read now, and would wake us for ever
        if (readable_ || writable_) wait();
    }
    /// May destroy this.
    static bool call(EventLoop::Handler& handler) {
        if (!handler) return false;
        std::exchange(handler, nullptr)();
        return true;
    }

    posix::ProcessBound<asio::posix::stream_descriptor> epoll_;
    std::shared_ptr<SharedSocket> shared_;
    std::shared_ptr<SharedInput> input_;
    EventLoop::Handler readable_;
    EventLoop::Handler writable_;
    bool is_waiting_ = false;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

class AsioLoop : public EventLoop {
public:
    AsioLoop(asio::any_io_executor strand, std::shared_ptr<SharedInput> input)
        : strand_(std::move(strand)), posting_(asio::require(strand_, asio::execution::blocking.never)),
          input_(std::move(input)) {}

    const asio::any_io_executor& executor() const override { return strand_; }
    BootClock::time_point boot_now() const override { return BootClock::now(); }
    std::chrono::steady_clock::time_point steady_now() const override { return std::chrono::steady_clock::now(); }
    void post(Handler handler) override { posting_.execute(std::move(handler)); }
    std::unique_ptr<Timer> make_timer() override { return std::make_unique<AsioTimer>(strand_); }

    std::unique_ptr<Alarm> make_alarm(Handler handler, error_code& ec) override {
        auto timer = BootTimer::make(strand_, std::move(handler), ec);
        return timer ? std::make_unique<BootAlarm>(std::move(timer)) : nullptr;
    }

    std::unique_ptr<Socket> make_socket(int fd, error_code& ec) override {
        fcntl(fd, F_SETFD, FD_CLOEXEC); // the C client does not set it
        posix::UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, 3));
        if (!copy) return ec = last_error(), nullptr;
        wake_at(copy.get(), 1);
        if (auto shared = input_ ? SharedSocket::make(copy, input_->longest_loan()) : nullptr) {
            auto socket = std::make_unique<LendingSocket>(strand_, std::move(shared), input_);
            ec = socket->open();
            return ec ? nullptr : std::move(socket);
        }
        asio::posix::stream_descriptor descriptor(strand_);
        descriptor.assign(copy.get(), ec);
        if (ec) return nullptr;
        copy.release();
        return std::make_unique<DupSocket>(std::move(descriptor));
    }

    int real_descriptor(int fd) const override { return fd; }
    void shut(int fd) override { shut_and_discard(fd); }

    int ready_for(int fd, int interest) override {
        const bool read = (interest & ZOOKEEPER_READ) != 0;
        const bool write = (interest & ZOOKEEPER_WRITE) != 0;
        pollfd polled{fd, static_cast<short>((read ? POLLIN : 0) | (write ? POLLOUT : 0)), 0};
        if (::poll(&polled, 1, 0) <= 0) return 0;
        const bool broken = (polled.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
        return (read && (broken || (polled.revents & POLLIN) != 0) ? ZOOKEEPER_READ : 0) |
               (write && (broken || (polled.revents & POLLOUT) != 0) ? ZOOKEEPER_WRITE : 0);
    }

private:
    asio::any_io_executor strand_;
    asio::any_io_executor posting_; // the strand with `blocking.never`, which asio::post() would make each time
    std::shared_ptr<SharedInput> input_;
};

} // namespace

std::shared_ptr<EventLoop> make_event_loop(asio::any_io_executor strand, std::shared_ptr<SharedInput> input) {
    return std::make_shared<AsioLoop>(std::move(strand), std::move(input));
}

} // namespace docent::zk
