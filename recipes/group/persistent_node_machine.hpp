// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides how to keep a node in existence, one action at a time. Pure.

#include <docent/error.hpp>
#include <docent/stat.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace docent::detail {

struct KeepWaiting {
    friend bool operator==(const KeepWaiting&, const KeepWaiting&) = default;
};
/// Create the node with its parents and the wanted data.
struct MakeNode {
    friend bool operator==(const MakeNode&, const MakeNode&) = default;
};
/// Read the node's Stat with a watch. After close(): after a sync, without a watch.
struct LookAtNode {
    std::string path;
    friend bool operator==(const LookAtNode&, const LookAtNode&) = default;
};
/// Write the wanted data. The version, here and below, is the last known version of this object's node: another client's node
/// may have taken its place.
struct WriteNode {
    std::string path;
    std::int32_t version = -1;
    friend bool operator==(const WriteNode&, const WriteNode&) = default;
};
/// Remove the node, once: after a lost reply, another client's node may have taken its place.
struct RemoveNode {
    std::string path;
    std::int32_t version = -1;
    friend bool operator==(const RemoveNode&, const RemoveNode&) = default;
};
/// There is an obstacle: look again after a pause.
struct PauseKeeping {
    friend bool operator==(const PauseKeeping&, const PauseKeeping&) = default;
};
using KeepAction = std::variant<KeepWaiting, MakeNode, LookAtNode, WriteNode, RemoveNode, PauseKeeping>;

class PersistentNodeMachine {
public:
    /// `has_that_name`: the node's path is `path`; otherwise `path` is only its beginning.
    PersistentNodeMachine(std::string path, bool is_ephemeral, bool has_that_name = true)
        : path_(std::move(path)), is_ephemeral_(is_ephemeral), has_that_name_(has_that_name) {}

    KeepAction start();
    KeepAction on_session(bool connected, std::int64_t session);
    /// The wanted data has changed.
    KeepAction on_data();
    /// `data_is_known`: the node has the data that was sent.
    KeepAction on_made(error_code ec, std::string path, const Stat& stat, bool data_is_known = true);
    /// `is_anothers`: another object of this session has made the node.
    KeepAction on_looked(error_code ec, const Stat& stat, bool is_anothers = false);
    KeepAction on_written(error_code ec, const Stat& stat);
    KeepAction on_removed(error_code ec);
    KeepAction on_watch_event();
    /// The watch has reported the deletion of the node that the last look has shown.
    KeepAction on_deleted();
    KeepAction on_pause_over();
    /// Returns RemoveNode if there is a node, or LookAtNode if there may be one. Otherwise the next answer or connect may
    /// return them.
    KeepAction close();

    /// The path of the node, if it is known to exist; else empty.
    std::string node_path() const { return node_ && !closed_ ? node_->path : std::string(); }
    /// Whether the node exists, is watched, and has the wanted data.
    bool settled() const { return node_ && node_->watched && node_->written == wanted_ && !closed_; }
    /// Whether this is the Stat of this object's node.
    bool has(const Stat& stat) const { return node_ && node_->czxid == stat.czxid; }
    /// The obstacle, by the last answer.
    error_code obstacle() const { return obstacle_; }
    bool closed() const { return closed_; }
    bool has_that_name() const { return has_that_name_; }
    /// Whether a request is under way.
    bool busy() const { return doing_ != Doing::nothing && doing_ != Doing::pausing; }
    /// Whether the object is closed and a node may still have to be removed.
    bool has_to_remove() const { return closed_ && (busy() || node_ || may_be_left()); }

private:
    enum class Doing { nothing, making, looking, writing, removing, pausing };
    struct Node {
        std::string path;
        std::int64_t owner = 0;
        std::int64_t czxid = 0; // 0: not known yet
        std::int32_t version = 0;
        int written = 0; // the number of the data written last
        bool watched = false;
        bool must_be_read = false; // before the next change: its version is not known, or another node has taken its place
    };

    KeepAction next();
    KeepAction pause(error_code ec);
    KeepAction look(std::string path);
    KeepAction remove_what_is_left();
    bool is_of_node(const Stat& stat);
    KeepAction on_looked_behind_the_end(error_code ec, const Stat& stat, bool is_anothers);
    static Node node_of(std::string path, const Stat& stat) {
        return {std::move(path), stat.ephemeral_owner, stat.czxid, stat.version};
    }
    /// Only an ephemeral node with a known name can be recognized as this object's node.
    bool may_be_left() const { return in_doubt_ && is_ephemeral_ && has_that_name_; }
    bool is_ours(std::int64_t owner) const { return owner == (is_ephemeral_ ? session_ : 0); }

    const std::string path_;
    const bool is_ephemeral_;
    const bool has_that_name_;
    bool started_ = false;
    bool closed_ = false;
    bool connected_ = false;
    bool in_the_way_ = false; // another client's node is at the path, and is watched
    bool in_doubt_ = false;   // a create of this session may have been applied, because its reply was lost
    std::int64_t session_ = 0;
    std::int64_t last_session_ = 0; // the earlier session that has made a node
    std::int64_t maker_ = 0;        // the session of the last create, or of the node that it made
    int wanted_ = 1;
    int sent_ = 0; // the number of the data that is being written
    Doing doing_ = Doing::nothing;
    std::optional<Node> node_;
    error_code obstacle_;
};

} // namespace docent::detail
