// SPDX-License-Identifier: Apache-2.0
#include "c_client/virtual_loop.hpp"

#include "zk/c_client.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <vector>

namespace docent::test {
namespace {

error_code no_descriptors() {
    return {EMFILE, boost::system::system_category()};
}

} // namespace

struct VirtualLoop::VirtualTimer : Timer {
    explicit VirtualTimer(VirtualLoop& owner) : loop(owner), id(++owner.last_) { loop.timers_[id] = this; }
    ~VirtualTimer() override { loop.timers_.erase(id); }
    void start(std::chrono::nanoseconds delay, Handler function) override {
        due = loop.steady_now() + delay;
        handler = std::move(function);
    }
    void cancel() override {
        due.reset();
        handler = nullptr;
    }

    VirtualLoop& loop;
    std::uint64_t id;
    std::optional<std::chrono::steady_clock::time_point> due;
    Handler handler;
};

struct VirtualLoop::VirtualAlarm : Alarm {
    VirtualAlarm(VirtualLoop& owner, Handler function) : loop(owner), id(++owner.last_), handler(std::move(function)) {
        loop.alarms_[id] = this;
        ++loop.descriptors_used;
    }
    ~VirtualAlarm() override {
        loop.alarms_.erase(id);
        --loop.descriptors_used;
    }
    void arm(Time when) override { due = when; }

    VirtualLoop& loop;
    std::uint64_t id;
    std::optional<Time> due;
    Handler handler;
};

struct VirtualLoop::VirtualSocket : Socket {
    VirtualSocket(VirtualLoop& owner, int descriptor) : loop(owner), id(++owner.last_), fd(descriptor) {
        loop.sockets_[id] = this;
        ++loop.descriptors_used;
    }
    ~VirtualSocket() override {
        loop.sockets_.erase(id);
        --loop.descriptors_used;
    }
    void on_readable(Handler handler) override { reading = std::move(handler); }
    void on_writable(Handler handler) override { writing = std::move(handler); }
    bool readable() override { return loop.descriptors_->readable(fd); }
    void shut() override { loop.descriptors_->shut(fd); }
    void hold_back(bool on) override { loop.holding_back += on ? 1 : -1; }
    void let_go() override { ++loop.let_go; }

    VirtualLoop& loop;
    std::uint64_t id;
    int fd;
    Handler reading;
    Handler writing;
};

/// Changes no bytes: the fake C client talks to the fake service as without TLS.
struct VirtualLoop::VirtualTunnel : Tunnel {
    VirtualTunnel(VirtualLoop& owner, int descriptor, Handler function)
        : loop(owner), fd(descriptor), on_handshake(std::move(function)) {}

    bool open() const override { return is_open; }
    bool is_at(int descriptor) const override { return descriptor == fd; }
    const zk::TlsFault& fault() const override { return why; }
    void carry_on() override {}
    void abandon() override { on_handshake = nullptr; }
    bool take() override { return false; }
    void end_answers() override {}
    void finish(std::chrono::milliseconds, std::chrono::milliseconds) override {}

    void end_handshake(zk::TlsFault outcome) {
        if (!on_handshake) return;
        why = std::move(outcome);
        is_open = why.text.empty();
        if (!is_open) loop.descriptors_->shut(fd);
        std::exchange(on_handshake, nullptr)();
    }

    VirtualLoop& loop;
    int fd;
    Handler on_handshake; // empty after the handshake
    zk::TlsFault why;
    bool is_open = false;
};

VirtualLoop::VirtualLoop(asio::io_context& context, std::uint64_t seed)
    : context_(context), executor_(context.get_executor()), random_(seed) {}

std::chrono::steady_clock::time_point VirtualLoop::steady_now() const {
    return std::chrono::steady_clock::time_point{now_.time_since_epoch() - suspended_};
}

void VirtualLoop::at(Time when, Handler handler) {
    world_.emplace(std::pair(std::max(when, now_), ++last_), std::move(handler));
}

void VirtualLoop::post(Handler handler) {
    asio::post(executor_, std::move(handler));
}

std::unique_ptr<zk::EventLoop::Timer> VirtualLoop::make_timer() {
    return std::make_unique<VirtualTimer>(*this);
}

std::unique_ptr<zk::EventLoop::Alarm> VirtualLoop::make_alarm(Handler handler, error_code& ec) {
    if (!out_of_descriptors) return std::make_unique<VirtualAlarm>(*this, std::move(handler));
    ec = no_descriptors();
    return nullptr;
}

std::unique_ptr<zk::EventLoop::Socket> VirtualLoop::make_socket(int fd, error_code& ec) {
    if (!out_of_descriptors) return std::make_unique<VirtualSocket>(*this, fd);
    ec = no_descriptors();
    return nullptr;
}

std::shared_ptr<zk::EventLoop::Tunnel> VirtualLoop::make_tunnel(int fd, std::unique_ptr<zk::TlsEngine>, Handler on_handshake,
                                                                error_code& ec) {
    if (!tls_outcome) return ec = asio::error::operation_not_supported, nullptr;
    auto tunnel = std::make_shared<VirtualTunnel>(*this, fd, std::move(on_handshake));
    at(now_ + std::chrono::milliseconds{1}, [this, weak = std::weak_ptr(tunnel)] {
        post([this, weak] {
            if (const auto alive = weak.lock()) alive->end_handshake(tls_outcome());
        });
    });
    return tunnel;
}

int VirtualLoop::ready_for(int fd, int interest) {
    const int ready = (descriptors_->readable(fd) ? ZOOKEEPER_READ : 0) | (descriptors_->writable(fd) ? ZOOKEEPER_WRITE : 0);
    return ready & interest;
}

void VirtualLoop::poll() {
    context_.restart();
    while (context_.poll_one() > 0) after_each();
}

/// Runs the world's next event, if it comes by then.
bool VirtualLoop::run_world(Time until) {
    if (world_.empty() || world_.begin()->first.first > until) return false;
    const auto next = world_.extract(world_.begin());
    now_ = std::max(now_, next.key().first);
    next.mapped()();
    after_each();
    return true;
}

/// Runs a random handler of the process that is due.
bool VirtualLoop::run_process() {
    std::vector<Handler> due;
    for (const auto& [id, timer] : timers_) {
        if (!timer->due || *timer->due > steady_now()) continue;
        due.push_back([timer = timer] {
            timer->due.reset();
            Handler(std::exchange(timer->handler, nullptr))();
        });
    }
    for (const auto& [id, alarm] : alarms_) {
        if (!alarm->due || *alarm->due > now_) continue;
        due.push_back([alarm = alarm] {
            alarm->due.reset();
            Handler(alarm->handler)();
        });
    }
    for (const auto& [id, socket] : sockets_) {
        if (socket->reading && descriptors_->readable(socket->fd)) {
            due.push_back([socket = socket] { Handler(std::exchange(socket->reading, nullptr))(); });
        }
        if (socket->writing && descriptors_->writable(socket->fd)) {
            due.push_back([socket = socket] { Handler(std::exchange(socket->writing, nullptr))(); });
        }
    }
    if (due.empty()) return false;
    due[random_() % due.size()]();
    after_each();
    return true;
}

void VirtualLoop::run_until(Time end) {
    for (;;) {
        poll();
        if (run_world(now_) || run_process()) continue;
        Time next = end;
        if (!world_.empty()) next = std::min(next, world_.begin()->first.first);
        for (const auto& [id, timer] : timers_) {
            if (timer->due) next = std::min(next, now_ + (*timer->due - steady_now()));
        }
        for (const auto& [id, alarm] : alarms_) {
            if (alarm->due) next = std::min(next, *alarm->due);
        }
        if (next <= now_) return;
        now_ = next;
        after_each();
    }
}

void VirtualLoop::stand_still(Duration length) {
    const Time end = now_ + length;
    while (run_world(end)) {
    }
    now_ = end;
    after_each();
}

void VirtualLoop::suspend(Duration length) {
    stand_still(length);
    suspended_ += length;
}

} // namespace docent::test
