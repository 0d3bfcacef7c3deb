// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <functional>
#include <list>
#include <memory>

namespace docent::detail {

/// The pending removals of the client. Each is tried again after a lost reply, until a server says that the node is gone, or
/// that the client may not remove it.
class Removals {
public:
    using Submit = std::function<void(zk::Request, zk::ReplyHandler)>;

    /// Called with each GUID, and the parent's path, after a search has found no node with it.
    using GuidGone = std::function<void(const std::string& path, const std::string& guid)>;

    explicit Removals(Submit submit, GuidGone guid_gone = nullptr)
        : submit_(std::move(submit)), guid_gone_(std::move(guid_gone)) {}

    /// `connected`: whether a first attempt makes sense now. `done`: see ClientView::remove_in_background.
    void add(RemovalOrder order, bool connected, Removed done);

    /// A connection is there (again): everything that is open goes out.
    void on_connected();
    /// Time for what a server was too busy to do.
    void on_heartbeat();
    void on_closed();

    std::size_t open() const { return orders_.size(); }

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
