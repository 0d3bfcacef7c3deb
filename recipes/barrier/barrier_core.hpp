// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "barrier/watching_operation.hpp"
#include "client/core/client_view.hpp"

#include <docent/recipes/barrier/distributed_barrier.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace docent::detail {

/// The client and the path of a barrier.
class BarrierCore {
public:
    BarrierCore(std::shared_ptr<ClientView> view, std::string path) : view_(std::move(view)), path_(std::move(path)) {}

    const std::shared_ptr<ClientView>& view() const { return view_; }
    const std::string& path() const { return path_; }

private:
    std::shared_ptr<ClientView> view_;
    std::string path_;
};

/// Waits until a node does not exist, or was replaced by another node.
class BarrierWaitOperation final : public WatchingOperation {
public:
    BarrierWaitOperation(std::shared_ptr<ClientView> view, std::string path, Done<> done)
        : WatchingOperation(std::move(view), std::move(done)), path_(std::move(path)) {}

    void begin() override { start(); }

private:
    void look() override;
    bool says_all(const WatchEvent& event) const override;
    void on_end(error_code ec) override;
    void on_seen(const zk::Reply& reply);

    const std::string path_;
    bool found_ = false;     // the barrier was found
    std::int64_t czxid_ = 0; // of that barrier; 0 if it may not be read
};

} // namespace docent::detail
