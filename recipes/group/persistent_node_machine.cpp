// SPDX-License-Identifier: Apache-2.0
#include "group/persistent_node_machine.hpp"

namespace docent::detail {

KeepAction PersistentNodeMachine::start() {
    started_ = true;
    return next();
}

KeepAction PersistentNodeMachine::on_session(bool connected, std::int64_t session) {
    connected_ = connected;
    if (!connected) return KeepWaiting{};
    if (std::exchange(session_, session) != session && maker_ != session) last_session_ = maker_;
    if (node_ && !is_ours(node_->owner)) node_.reset();
    if (node_) node_->watched = false; // it is looked at once after each connect
    in_the_way_ = false;
    return next();
}

KeepAction PersistentNodeMachine::on_data() {
    ++wanted_;
    return next();
}

KeepAction PersistentNodeMachine::next() {
    if (doing_ != Doing::nothing || closed_ || !started_ || !connected_ || in_the_way_) return KeepWaiting{};
    if (!node_) {
        doing_ = Doing::making;
        sent_ = wanted_;
        maker_ = session_;
        return MakeNode{};
    }
    if (!node_->watched) {
        doing_ = Doing::looking;
        return LookAtNode{node_->path};
    }
    if (node_->written == wanted_) return KeepWaiting{};
    doing_ = Doing::writing;
    sent_ = wanted_;
    return WriteNode{node_->path};
}

KeepAction PersistentNodeMachine::pause(error_code ec) {
    if (closed_) return KeepWaiting{};
    doing_ = Doing::pausing;
    obstacle_ = ec;
    return PauseKeeping{};
}

KeepAction PersistentNodeMachine::on_made(error_code ec, std::string path, std::int64_t owner) {
    doing_ = Doing::nothing;
    if (ec == server_error::node_exists && !closed_) {
        doing_ = Doing::looking;
        return LookAtNode{path_};
    }
    if (ec) return pause(ec);
    if (closed_) return RemoveNode{std::move(path)};
    obstacle_ = {};
    if (is_ephemeral_ && owner != session_) return next(); // its session has ended since
    node_ = Node{std::move(path), owner, sent_};
    return next();
}

KeepAction PersistentNodeMachine::on_looked(error_code ec, const Stat& stat) {
    doing_ = Doing::nothing;
    if (ec == server_error::no_node) {
        node_.reset();
        return next();
    }
    if (ec) return pause(ec);
    if (is_ours(stat.ephemeral_owner)) {
        if (!node_) node_ = Node{path_, stat.ephemeral_owner}; // whatever data it has
        node_->watched = true;
        obstacle_ = {};
        return next();
    }
    node_.reset();
    if (last_session_ != 0 && stat.ephemeral_owner == last_session_ && !closed_) {
        doing_ = Doing::removing; // our own, of the session before
        return RemoveNode{path_, stat.version};
    }
    in_the_way_ = true;
    obstacle_ = server_error::node_exists;
    return KeepWaiting{};
}

KeepAction PersistentNodeMachine::on_written(error_code ec) {
    doing_ = Doing::nothing;
    if (ec == server_error::no_node) node_.reset();
    else if (ec) return pause(ec);
    else if (node_) node_->written = sent_;
    return next();
}

KeepAction PersistentNodeMachine::on_removed() {
    if (doing_ == Doing::removing) doing_ = Doing::nothing;
    return next();
}

KeepAction PersistentNodeMachine::on_watch_event() {
    if (node_) node_->watched = false;
    in_the_way_ = false;
    return next();
}

KeepAction PersistentNodeMachine::on_pause_over() {
    if (doing_ == Doing::pausing) doing_ = Doing::nothing;
    return next();
}

KeepAction PersistentNodeMachine::close() {
    closed_ = true;
    if (!node_) return KeepWaiting{};
    const std::string path = node_->path;
    node_.reset();
    return RemoveNode{path};
}

} // namespace docent::detail
