// SPDX-License-Identifier: Apache-2.0
#pragma once

// Time that passes only when a test says so: for a process, and for the world around it.

#include "zk/event_loop.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <utility>

namespace docent::test {

namespace asio = boost::asio;

class VirtualLoop : public zk::EventLoop {
public:
    using Time = zk::BootClock::time_point;
    using Duration = std::chrono::nanoseconds;

    explicit VirtualLoop(asio::io_context& context, std::uint64_t seed = 0);

    // ---- the world: servers and the network, which go on while the process stands still
    void at(Time when, Handler handler);
    /// The descriptors of the fake C client: whether they are ready, and how they are shut down.
    struct Descriptors {
        virtual ~Descriptors() = default;
        virtual bool readable(int fd) = 0;
        virtual bool writable(int fd) = 0;
        virtual void shut(int fd) = 0;
    };
    void set_descriptors(Descriptors* descriptors) { descriptors_ = descriptors; }

    // ---- the test
    Time now() const { return now_; }
    /// Runs all events until then, in order.
    void run_until(Time end);
    void run_for(Duration length) { run_until(now_ + length); }
    /// The process does nothing meanwhile. Afterwards, it finds all events.
    void stand_still(Duration length);
    /// The machine is suspended: only the boot clock and the world go on.
    void suspend(Duration length);
    /// Called after each event.
    std::function<void()> after_each = [] {};
    /// No new socket or alarm can be made.
    bool out_of_descriptors = false;
    /// The number of alarms and sockets.
    int descriptors_used = 0;
    /// The number of sockets that hold back sent bytes.
    int holding_back = 0;
    /// How often bytes that were held back were let go.
    int let_go = 0;
    /// The outcome of the next TLS handshake. Without this function, no tunnel can be made.
    std::function<zk::TlsFault()> tls_outcome;

    // ---- zk::EventLoop
    const asio::any_io_executor& executor() const override { return executor_; }
    Time boot_now() const override { return now_; }
    std::chrono::steady_clock::time_point steady_now() const override;
    void post(Handler handler) override;
    std::unique_ptr<Timer> make_timer() override;
    std::unique_ptr<Alarm> make_alarm(Handler handler, error_code& ec) override;
    std::shared_ptr<Tunnel> make_tunnel(int fd, std::unique_ptr<zk::TlsEngine> engine, Handler on_handshake,
                                        error_code& ec) override;
    std::unique_ptr<Socket> make_socket(int fd, error_code& ec) override;
    void shut(int fd) override { descriptors_->shut(fd); }
    int ready_for(int fd, int interest) override;

private:
    struct VirtualTimer;
    struct VirtualAlarm;
    struct VirtualSocket;
    struct VirtualTunnel;

    bool run_world(Time until);
    bool run_process();
    void poll();

    asio::io_context& context_;
    asio::any_io_executor executor_;
    std::mt19937_64 random_;
    Time now_{std::chrono::hours{1}};
    Duration suspended_{0}; // suspended time, which the steady clock does not count
    Descriptors* descriptors_ = nullptr;
    std::uint64_t last_ = 0;
    std::map<std::pair<Time, std::uint64_t>, Handler> world_;
    std::map<std::uint64_t, VirtualTimer*> timers_;
    std::map<std::uint64_t, VirtualAlarm*> alarms_;
    std::map<std::uint64_t, VirtualSocket*> sockets_;
};

} // namespace docent::test
