// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace docent::detail {

/// For somebody who wants permits only if they are free now, while another one is at the gate: that may be about to take one of
/// many. Looks at the leases until there are not enough left, or it has taken too long.
class TryAtGate : public std::enable_shared_from_this<TryAtGate> {
public:
    /// How long others may take at the gate with permits left.
    static constexpr std::chrono::seconds patience{1};

    /// `enough`: whether there may be enough left when so many are out. `give_up` is called at most once.
    TryAtGate(std::shared_ptr<ClientView> view, std::string leases, std::function<bool(std::int32_t)> enough,
              std::function<void()> give_up);

    void look();
    /// Before it is dropped.
    void stop();

private:
    void on_looked(const zk::Reply& reply);
    void give_up();

    std::shared_ptr<ClientView> view_;
    std::string leases_; // path
    std::function<bool(std::int32_t)> enough_;
    std::function<void()> give_up_;
    zk::WatchSink watch_;
    Registration session_;
    Registration timer_; // once it has seen anything
};

} // namespace docent::detail
