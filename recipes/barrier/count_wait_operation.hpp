// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "barrier/count_down_core.hpp"
#include "barrier/watching_operation.hpp"

#include <memory>
#include <utility>

namespace docent::detail {

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
