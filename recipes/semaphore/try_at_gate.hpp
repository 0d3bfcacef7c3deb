// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace docent::detail {

/// Bounds a try_acquire() of permits while it waits at the gate. Another caller at the gate may be about to take one permit of
/// many, so the try waits for it: until the leases show that not enough permits are left, but no longer than `longest_wait`.
/// Time without a connection does not count; the wait for a connection has its own limit (`ClientConfig::connection_timeout`).
class TryAtGate : public std::enable_shared_from_this<TryAtGate> {
public:
    static constexpr std::chrono::seconds longest_wait{1};

    /// `enough`: whether enough permits may be left, for a number of permits taken. `give_up` is called at most once, with the
    /// error of the try: `error::not_acquired`, or the error of reading the leases.
    TryAtGate(std::shared_ptr<ClientView> view, std::string leases, std::function<bool(std::int32_t)> enough,
              std::function<void(error_code)> give_up);

    void start();
    /// Call it before dropping this object.
    void stop();

private:
    void on_session(const SessionEvent& event);
    void on_connected();
    void look();
    void on_looked(const zk::Reply& reply);
    void give_up(error_code ec);

    std::shared_ptr<ClientView> view_;
    std::string leases_; // path
    std::function<bool(std::int32_t)> enough_;
    std::function<void(error_code)> give_up_;
    zk::WatchSink watch_;
    Registration session_;
    steady_clock::duration left_ = longest_wait;
    std::optional<steady_clock::time_point> connected_since_;
    Registration timer_; // while connected
};

} // namespace docent::detail
