// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/handle.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace docent::session {

/// An attempt without history, beside a session that no server takes: are there servers that take others? Servers without a
/// quorum hang up on everybody, and our session lives on in them. Servers that were restored from older data hang up on us
/// alone.
///
/// It finds out that a quorum serves, for longer than our session would live in it: whatever keeps ours from being taken, it is
/// over. It is one session of its own at a time, and closes it again.
class Probe : private zk::HandleObserver, public std::enable_shared_from_this<Probe> {
public:
    enum class Finding {
        no_quorum, // nobody took it, or it broke: says nothing
        quorum     // one connection to a quorum has lasted for longer than a session without connection lives
    };

    /// `round`: how many attempts go to each server once.
    Probe(std::shared_ptr<zk::EventLoop> loop, zk::CClient& c_client, zk::HandleOptions options, std::size_t round,
          std::function<void(Finding)> done);
    ~Probe() override { close(); }
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;

    /// Calls `done` once, later, unless it is ended before.
    void start();
    /// After Finding::quorum: looks again, a little later.
    void look_again();

    /// Ends it and closes its session. Blocks only for the round trip to a server that has just answered.
    void end();

    /// Ends it at once: blocks as zk::Handle::close does.
    void close();

    /// Whether a server has taken it, and still does.
    bool served() const { return handle_ && handle_->connected(); }

private:
    void on_handle_connected(const Connected& connected) override;
    void on_handle_disconnected() override { finish(Finding::no_quorum); }
    void on_handle_expired() override { finish(Finding::no_quorum); }
    void on_handle_auth_failed() override { finish(Finding::no_quorum); }
    void on_handle_answer(zk::BootClock::time_point, bool) override {}
    void on_handle_attempt_failed(const zk::FailedAttempt& attempt) override;
    void on_handle_fault(error_code) override { finish(Finding::no_quorum); }

    void look_after(std::chrono::milliseconds delay);
    void ask();
    void finish(Finding finding);

    std::shared_ptr<zk::EventLoop> loop_;
    zk::CClient* c_client_;
    zk::HandleOptions options_;
    std::size_t attempts_left_;
    std::function<void(Finding)> done_;
    std::shared_ptr<zk::Handle> handle_;
    std::unique_ptr<zk::EventLoop::Timer> timer_;
    std::chrono::milliseconds timeout_{};
    bool finished_ = false;
    bool ended_ = false;
};

} // namespace docent::session
