// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

/// The pending removals of the client. Each is tried again until a server says that the node is gone or refuses for good, or
/// until the client is closed.
class Removals {
public:
    using Submit = std::function<void(zk::Request, zk::ReplyHandler)>;

    /// Called with the parent's path and the GUID when no node has this GUID any more: a search found none, or each node that
    /// it found was removed.
    using GuidGone = std::function<void(const std::string& path, const std::string& guid)>;

    explicit Removals(Submit submit, GuidGone guid_gone = nullptr)
        : submit_(std::move(submit)), guid_gone_(std::move(guid_gone)) {}

    /// If `connected`, sends the removal now. Otherwise calls `done` without an error, and waits for retry(). See
    /// ClientView::remove_in_background().
    void add(RemovalOrder order, bool connected, Removed done);

    /// Sends all removals that are not under way: after a connection was made, and with each heartbeat, for those that a busy
    /// server refused.
    void retry();
    void on_closed();

    std::size_t pending() const { return orders_.size(); }

private:
    struct Entry {
        RemovalOrder order;
        Removed done;
        bool under_way = false;
    };
    using Position = std::list<Entry>::iterator;

    void send(const Entry& entry, zk::Request request, zk::ReplyHandler handler);
    static void tell(Entry& entry, error_code ec = {});
    void attempt(Position entry);
    void remove_found(Position entry, const std::vector<std::string>& names);
    void on_answer(Position entry, error_code ec);

    Submit submit_;
    GuidGone guid_gone_;
    std::list<Entry> orders_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true); // replies may come after this object
};

} // namespace docent::detail
