// SPDX-License-Identifier: Apache-2.0
#include "group/persistent_node_machine.hpp"

#include "base/time_over.hpp"

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
    if (node_) node_->watched = false; // look once after each connect
    in_the_way_ = false;
    if (closed_ && doing_ == Doing::nothing && (node_ || may_be_left())) return look(node_ ? node_->path : path_);
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
    if (!node_->watched) return look(node_->path);
    if (node_->written == wanted_) return KeepWaiting{};
    doing_ = Doing::writing;
    sent_ = wanted_;
    return WriteNode{node_->path, node_->version};
}

KeepAction PersistentNodeMachine::look(std::string path) {
    doing_ = Doing::looking;
    return LookAtNode{std::move(path)};
}

KeepAction PersistentNodeMachine::pause(error_code ec) {
    if (closed_) return KeepWaiting{};
    doing_ = Doing::pausing;
    obstacle_ = ec;
    return PauseKeeping{};
}

KeepAction PersistentNodeMachine::on_made(error_code ec, std::string path, const Stat& stat, bool data_is_known) {
    doing_ = Doing::nothing;
    if (ec == server_error::node_exists && (!closed_ || in_doubt_ || !is_ephemeral_)) return look(path_);
    const bool shows_outcome = !ec || ec == server_error::no_node; // no_node: without a parent, no earlier create made it
    in_doubt_ = ec == condition::outcome_unknown || (in_doubt_ && !shows_outcome);
    if (closed_) {
        if (!ec) node_ = node_of(std::move(path), stat);
        return remove_what_is_left();
    }
    if (ec) return pause(ec);
    obstacle_ = {};
    if (is_ephemeral_ && stat.ephemeral_owner != session_) { // made in an ended session, or in one whose event comes later
        in_doubt_ = true;
        return next();
    }
    node_ = node_of(std::move(path), stat);
    maker_ = node_->owner; // the create may have gone on in a later session
    if (data_is_known) node_->written = sent_;
    return next();
}

KeepAction PersistentNodeMachine::on_looked(error_code ec, const Stat& stat, bool is_anothers) {
    doing_ = Doing::nothing;
    if (closed_) return on_looked_behind_the_end(ec, stat, is_anothers);
    if (ec == server_error::no_node) {
        in_doubt_ = false;
        node_.reset();
        return next();
    }
    // A server checks that a node exists before it checks the ACL. So the node exists, and may not be read. A node that must be
    // read first is looked at again after a pause: each write would be refused for its version.
    if (ec == server_error::no_auth && node_ && !node_->must_be_read) {
        node_->watched = true;
        obstacle_ = {};
        return next();
    }
    if (ec) return pause(ec);
    const bool was_in_doubt = std::exchange(in_doubt_, false);
    if (node_ && !is_of_node(stat)) node_.reset(); // another node has taken its place
    // A node of this session that this object has not made belongs to another object.
    const bool may_be_ours = node_ || (was_in_doubt && !is_anothers) || !is_ephemeral_;
    if (is_ours(stat.ephemeral_owner) && may_be_ours) {
        if (!node_) node_ = node_of(path_, stat); // its data is not known: next() writes it
        node_->version = stat.version;
        node_->watched = true;
        node_->must_be_read = false;
        obstacle_ = {};
        return next();
    }
    node_.reset();
    if (last_session_ != 0 && stat.ephemeral_owner == last_session_) {
        doing_ = Doing::removing; // this object's node of the earlier session
        return RemoveNode{path_, stat.version};
    }
    in_the_way_ = true;
    obstacle_ = server_error::node_exists;
    return KeepWaiting{};
}

/// Whether this is the Stat of `node_`. A create with a lost reply may have found the node by its GUID without a Stat:
/// then the first Stat counts.
bool PersistentNodeMachine::is_of_node(const Stat& stat) {
    if (node_->czxid == 0) node_->czxid = stat.czxid;
    return node_->czxid == stat.czxid;
}

/// `bad_version`: another client has written to the node, or another node has taken its place.
KeepAction PersistentNodeMachine::on_written(error_code ec, const Stat& stat) {
    doing_ = Doing::nothing;
    if (ec == server_error::no_node) node_.reset();
    if (!node_) return next();
    const bool is_it = !ec && is_of_node(stat);
    if (is_it) {
        node_->written = sent_;
        node_->version = stat.version;
    } else {
        node_->watched = false; // look next
        node_->must_be_read = !ec || ec == server_error::bad_version;
    }
    if (closed_) return is_it ? remove_what_is_left() : look(node_->path);
    if (is_lost(ec)) return look(node_->path);
    return !ec || ec == server_error::bad_version ? next() : pause(ec);
}

/// `bad_version`: as on_written().
KeepAction PersistentNodeMachine::on_removed(error_code ec) {
    doing_ = Doing::nothing;
    if (closed_) {
        if (!node_) return KeepWaiting{};
        node_->must_be_read = ec == condition::outcome_unknown || ec == server_error::bad_version;
        if (is_lost(ec) || node_->must_be_read) return look(node_->path);
        node_.reset(); // the node is gone, or may not be removed
        return KeepWaiting{};
    }
    const bool look_again = !ec || ec == server_error::no_node || ec == server_error::bad_version || is_lost(ec);
    return look_again ? next() : pause(server_error::node_exists);
}

KeepAction PersistentNodeMachine::on_watch_event() {
    if (node_) node_->watched = false;
    in_the_way_ = false;
    return next();
}

/// Forgets the node without a look: if another client's node at the path may not be read, a look cannot tell the nodes apart.
KeepAction PersistentNodeMachine::on_deleted() {
    node_.reset();
    return on_watch_event();
}

KeepAction PersistentNodeMachine::on_pause_over() {
    if (doing_ == Doing::pausing) doing_ = Doing::nothing;
    return next();
}

// ---- closing

KeepAction PersistentNodeMachine::close() {
    if (std::exchange(closed_, true)) return KeepWaiting{};
    if (doing_ == Doing::pausing) doing_ = Doing::nothing;
    return busy() ? KeepWaiting{} : remove_what_is_left();
}

KeepAction PersistentNodeMachine::remove_what_is_left() {
    if (!node_) return may_be_left() ? look(path_) : KeepWaiting{};
    if (node_->must_be_read) return look(node_->path);
    doing_ = Doing::removing;
    return RemoveNode{node_->path, node_->version};
}

KeepAction PersistentNodeMachine::on_looked_behind_the_end(error_code ec, const Stat& stat, bool is_anothers) {
    if (is_lost(ec) || ec == error::not_connected) return KeepWaiting{}; // on_session() looks again
    // The node exists, and may not be read. Remove it by its last known version, as close() does without a look. Exception:
    // after a removal that may have been applied, or was refused for the version, the node may be another client's. New nodes
    // have the same version, and only the Stat would tell. So the node stays.
    if (ec == server_error::no_auth && node_ && !node_->must_be_read) return remove_what_is_left();
    const bool was_in_doubt = std::exchange(in_doubt_, false);
    // on_looked() takes over any persistent node at the path, so close() removes such a node as well.
    const bool may_be_ours = !is_ephemeral_ || (was_in_doubt && !is_anothers);
    const bool is_it = !ec && (node_ ? is_of_node(stat) : may_be_ours && is_ours(stat.ephemeral_owner));
    const std::string path = node_ ? node_->path : path_;
    node_.reset();
    if (is_it) node_ = node_of(path, stat);
    return remove_what_is_left();
}

} // namespace docent::detail
