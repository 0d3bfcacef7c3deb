// SPDX-License-Identifier: Apache-2.0
#include "zk/event_loop.hpp"

#include "posix/descriptors.hpp"
#include "zk/c_client.hpp"
#include "zk/socket_calls.hpp"
#include "zk/tls/tls_tunnel.hpp"

#include <docent/detail/process_owned.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <fcntl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <utility>

namespace docent::zk {
namespace {

using wait_type = asio::posix::stream_descriptor::wait_type;

class AsioTimer : public EventLoop::Timer {
public:
    explicit AsioTimer(const asio::any_io_executor& executor) : timer_(std::make_shared<asio::steady_timer>(executor)) {}

    void start(std::chrono::nanoseconds delay, EventLoop::Handler handler) override {
        if (timer_.is_foreign()) return;
        const auto last = std::exchange(handler_, std::make_shared<EventLoop::Handler>(std::move(handler)));
        timer_->expires_after(delay);
        timer_->async_wait([weak = std::weak_ptr(handler_)](error_code) {
            // Without this handler, the timer was cancelled, started again, or destroyed.
            if (const auto own = weak.lock()) std::exchange(*own, nullptr)();
        });
    }
    void cancel() override {
        const auto last = std::exchange(handler_, nullptr); // may own this object
        if (!timer_.is_foreign()) timer_->cancel();
    }

private:
    detail::ProcessOwned<asio::steady_timer> timer_;
    std::shared_ptr<EventLoop::Handler> handler_; // of the last start()
};

/// A timer of CLOCK_BOOTTIME. Asio's timers do not run while the machine is suspended.
class BootAlarm : public EventLoop::Alarm {
public:
    BootAlarm(asio::posix::stream_descriptor timer, EventLoop::Handler handler)
        : timer_(std::make_shared<asio::posix::stream_descriptor>(std::move(timer))),
          handler_(std::make_shared<EventLoop::Handler>(std::move(handler))) {}

    void arm(BootClock::time_point when) override {
        if (timer_.is_foreign()) return;
        const auto at = std::max(when.time_since_epoch(), BootClock::duration{1}); // 0 would disarm
        itimerspec spec{};
        spec.it_value.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(at).count();
        spec.it_value.tv_nsec = (at % std::chrono::seconds{1}).count();
        ::timerfd_settime(timer_->native_handle(), TFD_TIMER_ABSTIME, &spec, nullptr);
        if (!std::exchange(waiting_, true)) wait();
    }

private:
    void wait() {
        timer_->async_wait(wait_type::wait_read, [weak = std::weak_ptr(handler_), this](const error_code& ec) {
            const auto handler = weak.lock(); // it may destroy this object
            if (ec || !handler) return;
            waiting_ = false;
            std::uint64_t expirations = 0;
            if (::read(timer_->native_handle(), &expirations, sizeof expirations) > 0) return (*handler)();
            waiting_ = true; // armed again meanwhile
            wait();
        });
    }

    detail::ProcessOwned<asio::posix::stream_descriptor> timer_;
    const std::shared_ptr<EventLoop::Handler> handler_;
    bool waiting_ = false;
};

/// A dup of the C client's descriptor. The C client closes its descriptor inside its calls, and another socket gets the same
/// number (docs/contributing/c-client.md).
class DupSocket : public EventLoop::Socket {
public:
    explicit DupSocket(asio::posix::stream_descriptor descriptor)
        : descriptor_(std::make_shared<asio::posix::stream_descriptor>(std::move(descriptor))) {}

    void on_readable(EventLoop::Handler handler) override { wait(wait_type::wait_read, std::move(handler)); }
    void on_writable(EventLoop::Handler handler) override { wait(wait_type::wait_write, std::move(handler)); }
    bool readable() override { return ready_for(descriptor_->native_handle(), ZOOKEEPER_READ) != 0; }
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

    detail::ProcessOwned<asio::posix::stream_descriptor> descriptor_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

class AsioLoop : public EventLoop {
public:
    explicit AsioLoop(asio::any_io_executor strand)
        : strand_(std::move(strand)), posting_(asio::require(strand_, asio::execution::blocking.never)) {}

    const asio::any_io_executor& executor() const override { return strand_; }
    BootClock::time_point boot_now() const override { return BootClock::now(); }
    std::chrono::steady_clock::time_point steady_now() const override { return std::chrono::steady_clock::now(); }
    void post(Handler handler) override { posting_.execute(std::move(handler)); }
    std::unique_ptr<Timer> make_timer() override { return std::make_unique<AsioTimer>(strand_); }

    std::unique_ptr<Alarm> make_alarm(Handler handler, error_code& ec) override {
        auto timer = give_to_asio(posix::UniqueFd(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)), ec);
        return timer ? std::make_unique<BootAlarm>(std::move(*timer), std::move(handler)) : nullptr;
    }

    std::unique_ptr<Socket> make_socket(int fd, error_code& ec) override {
        fcntl(fd, F_SETFD, FD_CLOEXEC); // the C client does not set it
        posix::UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, 3));
        if (copy) wake_at(copy.get(), 1);
        auto socket = give_to_asio(std::move(copy), ec);
        return socket ? std::make_unique<DupSocket>(std::move(*socket)) : nullptr;
    }

    std::shared_ptr<Tunnel> make_tunnel(int fd, std::unique_ptr<TlsEngine> engine, Handler on_handshake,
                                        error_code& ec) override {
        return TlsTunnel::begin(strand_, fd, std::move(engine), std::move(on_handshake), ec);
    }

    int real_descriptor(int fd) const override { return fd; }
    void shut(int fd) override { shut_and_discard(fd); }
    int ready_for(int fd, int interest) override { return zk::ready_for(fd, interest); }

private:
    /// Returns nothing, and sets `ec`, if there is no descriptor, or if Asio does not take it.
    std::optional<asio::posix::stream_descriptor> give_to_asio(posix::UniqueFd fd, error_code& ec) {
        if (!fd) return ec = {errno, boost::system::system_category()}, std::nullopt;
        asio::posix::stream_descriptor descriptor(strand_);
        descriptor.assign(fd.get(), ec);
        if (ec) return std::nullopt;
        fd.release();
        return descriptor;
    }

    asio::any_io_executor strand_;
    asio::any_io_executor posting_; // the strand with `blocking.never`, which asio::post() would make each time
};

} // namespace

std::shared_ptr<EventLoop> make_event_loop(asio::any_io_executor strand) {
    return std::make_shared<AsioLoop>(std::move(strand));
}

} // namespace docent::zk
