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
    const bool is_another = std::exchange(session_, session) != session;
    if (is_another && maker_ != session) last_session_ = maker_;
    if (is_another) in_doubt_ = false;
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
    if (ec == server_error::node_exists && (!closed_ || in_doubt_)) {
        doing_ = Doing::looking;
        return LookAtNode{path_};
    }
    in_doubt_ = ec == condition::outcome_unknown;
    if (closed_) return ec ? look_at_what_may_be_left() : RemoveNode{std::move(path)};
    if (ec) return pause(ec);
    obstacle_ = {};
    if (is_ephemeral_ && owner != session_) { // its session has ended since, or we are to hear of it yet
        in_doubt_ = true;
        return next();
    }
    node_ = Node{std::move(path), owner, sent_};
    return next();
}

KeepAction PersistentNodeMachine::on_looked(error_code ec, const Stat& stat) {
    doing_ = Doing::nothing;
    if (ec == server_error::no_node) {
        in_doubt_ = false;
        node_.reset();
        return next();
    }
    if (ec) return pause(ec);
    const bool was_in_doubt = std::exchange(in_doubt_, false);
    if (closed_) return was_in_doubt && is_ours(stat.ephemeral_owner) ? KeepAction{RemoveNode{path_}} : KeepWaiting{};
    // One of our session that this object has not made is another object's.
    const bool may_be_ours = node_ || was_in_doubt || !is_ephemeral_;
    if (is_ours(stat.ephemeral_owner) && may_be_ours) {
        if (!node_) node_ = Node{path_, stat.ephemeral_owner}; // whatever data it has
        node_->watched = true;
        obstacle_ = {};
        return next();
    }
    node_.reset();
    if (last_session_ != 0 && stat.ephemeral_owner == last_session_) {
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

/// `bad_version`: somebody has written to it meanwhile.
KeepAction PersistentNodeMachine::on_removed(error_code ec) {
    if (doing_ == Doing::removing) doing_ = Doing::nothing;
    if (ec && ec != server_error::no_node && ec != server_error::bad_version) return pause(server_error::node_exists);
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

/// A node that has an owner tells whether it is ours; one that has none may be anybody's.
KeepAction PersistentNodeMachine::look_at_what_may_be_left() {
    if (!in_doubt_ || !is_ephemeral_ || !has_that_name_) return KeepWaiting{};
    doing_ = Doing::looking;
    return LookAtNode{path_};
}

KeepAction PersistentNodeMachine::close() {
    closed_ = true;
    if (doing_ == Doing::pausing) doing_ = Doing::nothing;
    if (!node_) return doing_ == Doing::nothing ? look_at_what_may_be_left() : KeepWaiting{};
    const std::string path = node_->path;
    node_.reset();
    return RemoveNode{path};
}

} // namespace docent::detail
