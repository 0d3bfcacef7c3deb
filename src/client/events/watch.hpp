// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/events/event_source.hpp"

#include <docent/client.hpp>

namespace docent::detail {

/// The implementation of Watch: the source of its one event.
class WatchState : public EventSource<WatchEvent>, public std::enable_shared_from_this<WatchState> {
public:
    using Forget = std::function<void(ClientView&)>;
    /// `forget` tells the client that the watch is not wanted any more.
    WatchState(ClientViewPtr view, std::string path, Forget forget)
        : EventSource(std::move(view)), path_(std::move(path)), forget_(std::move(forget)) {}

    /// The watch is not wanted any more, so the server need not keep it.
    ~WatchState();
    WatchState(const WatchState&) = delete;
    WatchState& operator=(const WatchState&) = delete;

    /// Makes the sink. On the client's strand, before the request goes out.
    zk::WatchSink open();

private:
    std::string path_; // without prefixes, as the user knows it
    Forget forget_;
    zk::WatchSink sink_;
    Registration close_listener_;
};

} // namespace docent::detail
