// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rules of a count-down latch: the meaning of its node's data, a count, and the next step of a waiter. Pure.

#include "atomic/atomic_core.hpp"
#include "atomic/atomic_machine.hpp"
#include "barrier/watching_operation.hpp"
#include "shared/number_bytes.hpp"

#include <docent/error.hpp>
#include <docent/recipes/barrier/count_down_latch.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace docent::detail {

/// The counts that are left: 0 or more, also if other clients have written other numbers.
inline std::int64_t left_to_count(std::int64_t counted, std::int64_t count) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    if (counted >= count) return 0;
    return counted < 0 && count > largest + counted ? largest : count - counted;
}

/// The new data after `times` more counts. After the largest number, nothing is counted any more: a wrapped number would close
/// the latch again.
inline NewData count_on(const std::optional<std::string>& before, std::int64_t times) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    NewData wish;
    const std::int64_t counted = decode_number(before, wish.ec);
    if (times < 1) wish.ec = server_error::bad_arguments;
    if (!wish.ec) wish.data = encode_number(counted > largest - times ? largest : counted + times);
    return wish;
}

struct ItIsDown {
    friend bool operator==(const ItIsDown&, const ItIsDown&) = default;
};
/// There is no count yet: wait until the node exists.
struct WatchForNode {
    friend bool operator==(const WatchForNode&, const WatchForNode&) = default;
};
struct ReadAgain {
    friend bool operator==(const ReadAgain&, const ReadAgain&) = default;
};
struct AwaitCount {
    friend bool operator==(const AwaitCount&, const AwaitCount&) = default;
};
struct WaitFails {
    error_code ec;
    friend bool operator==(const WaitFails&, const WaitFails&) = default;
};
using CountWaitStep = std::variant<ItIsDown, WatchForNode, ReadAgain, AwaitCount, WaitFails>;

/// The step after a read of the node with a watch.
inline CountWaitStep after_read(const error_code& ec, const std::string& data, std::int64_t count) {
    if (ec == server_error::no_node) return WatchForNode{};
    error_code failure = ec;
    const std::int64_t counted = failure ? 0 : decode_number(data, failure);
    if (failure) return WaitFails{failure};
    return left_to_count(counted, count) == 0 ? CountWaitStep(ItIsDown{}) : CountWaitStep(AwaitCount{});
}
/// The step after a look, with a watch, whether the node exists.
inline CountWaitStep after_look(const error_code& ec) {
    if (!ec) return ReadAgain{};
    return ec == server_error::no_node ? CountWaitStep(AwaitCount{}) : CountWaitStep(WaitFails{ec});
}

/// The state of a latch.
class CountDownCore {
public:
    CountDownCore(std::shared_ptr<AtomicCore> counter, std::int64_t count)
        : counter_(std::move(counter)), count_(count),
          marking_(post_at_end(counter_->view(), [counter = counter_] { counter->stop(); })) {}

    const std::shared_ptr<AtomicCore>& counter() const { return counter_; }
    std::int64_t count() const { return count_; }
    std::int64_t left(std::int64_t counted) const { return left_to_count(counted, count_); }

private:
    const std::shared_ptr<AtomicCore> counter_;
    const std::int64_t count_;
    const Registration marking_; // removes the marker at the end
};

/// Waits until no counts are left.
class CountWaitOperation final : public WatchingOperation {
public:
    CountWaitOperation(std::shared_ptr<ClientView> view, std::shared_ptr<CountDownCore> core, Done<> done)
        : WatchingOperation(std::move(view), std::move(done)), core_(std::move(core)) {}

    void begin() override { start(); }

private:
    void look() override;
    void on_end(error_code ec) override;
    void on_read(zk::Reply reply);
    void act(const ItIsDown& step);
    void act(const WatchForNode& step);
    void act(const ReadAgain& step);
    void act(const AwaitCount& step);
    void act(const WaitFails& step);

    const std::string& path() const { return core_->counter()->path(); }

    const std::shared_ptr<CountDownCore> core_;
};

} // namespace docent::detail
