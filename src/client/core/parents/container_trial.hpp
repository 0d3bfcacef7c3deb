// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

#include <docent/session_event.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace docent::detail {

/// Handles servers without containers (ZooKeeper before 3.5, ClickHouse Keeper): there, parents become persistent nodes. The
/// first creates of container parents go out together with the requests that need them. If the server refuses containers, the
/// object creates persistent parents, and sends requests that found no node again, in order. Requests that are submitted
/// meanwhile wait. From then on, parents are persistent from the beginning.
class ContainerTrial {
public:
    using Submit = std::function<void(zk::Request, zk::ReplyHandler)>;
    using Clock = std::chrono::steady_clock;

    /// Calls `on_missing` once, when it is known that the server has no containers.
    ContainerTrial(Submit submit, std::function<Clock::time_point()> now, std::function<void()> on_missing)
        : submit_(std::move(submit)), now_(std::move(now)), on_missing_(std::move(on_missing)) {}

    void submit(zk::Request request, zk::ReplyHandler handler);
    void on_session_event(const SessionEvent& event, std::chrono::milliseconds session_timeout);

private:
    enum class Containers { unknown, known, missing };
    struct Submitted {
        zk::Request request;
        zk::ReplyHandler handler;
    };

    void send(zk::Request request, zk::ReplyHandler handler);
    void on_answer(Submitted& tried, Clock::time_point sent, zk::Reply&& reply);
    void learn(error_code ec, Clock::time_point sent); // from the answer to the create of a container parent
    void are_missing();

    Submit submit_;
    std::function<Clock::time_point()> now_;
    std::function<void()> on_missing_;
    Containers containers_ = Containers::unknown;
    std::size_t beside_ = 0;     // outstanding requests since the first such create, while the answer is not known
    std::deque<Submitted> held_; // requests that wait for these answers, when it is known that there are no containers
    std::optional<Clock::time_point> without_word_; // the time of a create whose connection broke, until the session is back
    int hang_ups_ = 0;                              // sessions in a row that have ended so
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true); // replies may come after this object
};

} // namespace docent::detail
