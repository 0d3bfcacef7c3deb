// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"
#include "client/events/mailbox.hpp"

#include <docent/client.hpp>

namespace docent::detail {

/// What a Watch is behind its face: a mailbox for its one event.
class WatchState : public std::enable_shared_from_this<WatchState> {
public:
    using Forget = std::function<void(ClientView&)>;
    /// `forget` tells the client that nobody waits any more.
    WatchState(ClientViewPtr core, std::string path, Forget forget)
        : core_(std::move(core)), path_(std::move(path)), forget_(std::move(forget)),
          mailbox_(std::make_shared<Mailbox<WatchEvent>>()) {}

    /// Nobody waits any more: the server need not keep the watch.
    ~WatchState();
    WatchState(const WatchState&) = delete;
    WatchState& operator=(const WatchState&) = delete;

    /// Registers with the client; on its strand, before the request goes out.
    zk::WatchSink open();

    const ClientViewPtr& core() const { return core_; }
    const std::shared_ptr<Mailbox<WatchEvent>>& mailbox() const { return mailbox_; }

private:
    ClientViewPtr core_;
    std::string path_; // as the user knows it
    Forget forget_;
    std::shared_ptr<Mailbox<WatchEvent>> mailbox_;
    zk::WatchSink sink_;
    Registration close_listener_;
};

} // namespace docent::detail
