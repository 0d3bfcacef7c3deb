// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core.hpp"
#include "client/mailbox.hpp"

#include <docent/watch.hpp>

namespace docent::detail {

/// What a Watch is behind its face: a mailbox for its one event.
class WatchState : public std::enable_shared_from_this<WatchState> {
public:
    WatchState(CorePtr core, std::string path)
        : core_(std::move(core)), path_(std::move(path)), mailbox_(std::make_shared<Mailbox<WatchEvent>>()) {}

    /// Registers with the client; on its strand, before the request goes out.
    zk::WatchSink open();

    const CorePtr& core() const { return core_; }
    const std::shared_ptr<Mailbox<WatchEvent>>& mailbox() const { return mailbox_; }

private:
    CorePtr core_;
    std::string path_; // as the user knows it
    std::shared_ptr<Mailbox<WatchEvent>> mailbox_;
    zk::WatchSink sink_;
    Registration close_listener_;
};

} // namespace docent::detail
