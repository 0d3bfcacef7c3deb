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

/// Stands before the session, for servers that make no containers (ZooKeeper before 3.5, ClickHouse Keeper): parents that were
/// to be containers are persistent there. The first such creates of a client leave in one flight with what needs them, as all
/// do. If they are refused, persistent ones are made, and what was sent beside them and found no node is sent again, in its
/// order; what is submitted meanwhile waits for that. From then on it is known, and nothing is sent twice.
class ContainerTrial {
public:
    using Submit = std::function<void(zk::Request, zk::ReplyHandler)>;
    using Clock = std::chrono::steady_clock;

    /// `on_missing` is called once, when it is known that there are none.
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
    void learn(error_code ec, Clock::time_point sent); // from the answer to a parent container's create
    void are_missing();

    Submit submit_;
    std::function<Clock::time_point()> now_;
    std::function<void()> on_missing_;
    Containers containers_ = Containers::unknown;
    std::size_t beside_ = 0;     // sent while nothing was known, and not answered: the first such create, and all since
    std::deque<Submitted> held_; // until all of that is answered, when it is known that there are none
    std::optional<Clock::time_point> without_word_; // when one was sent whose connection broke, if the session is not back yet
    int hang_ups_ = 0;                              // sessions in a row that ended so
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true); // replies may come after this object
};

} // namespace docent::detail
