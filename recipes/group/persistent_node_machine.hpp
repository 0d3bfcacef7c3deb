// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is to be done so that a node is there. Pure; one thing at a time.

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
/// With its parents, and the data that is wanted.
struct MakeNode {
    friend bool operator==(const MakeNode&, const MakeNode&) = default;
};
/// Read its metadata, with a watch.
struct LookAtNode {
    std::string path;
    friend bool operator==(const LookAtNode&, const LookAtNode&) = default;
};
/// The data that is wanted. The version, here and below, is that of our node, as it was last seen: in its place there may be
/// somebody else's by now.
struct WriteNode {
    std::string path;
    std::int32_t version = -1;
    friend bool operator==(const WriteNode&, const WriteNode&) = default;
};
/// Once: behind a lost reply, what is there may be somebody else's.
struct RemoveNode {
    std::string path;
    std::int32_t version = -1;
    friend bool operator==(const RemoveNode&, const RemoveNode&) = default;
};
/// Something stands in the way; look again after a while.
struct PauseKeeping {
    friend bool operator==(const PauseKeeping&, const PauseKeeping&) = default;
};
using KeepAction = std::variant<KeepWaiting, MakeNode, LookAtNode, WriteNode, RemoveNode, PauseKeeping>;

class PersistentNodeMachine {
public:
    /// `has_that_name`: the node is at `path`, which is not only the beginning of its path.
    PersistentNodeMachine(std::string path, bool is_ephemeral, bool has_that_name = true)
        : path_(std::move(path)), is_ephemeral_(is_ephemeral), has_that_name_(has_that_name) {}

    KeepAction start();
    KeepAction on_session(bool connected, std::int64_t session);
    /// Other data is wanted.
    KeepAction on_data();
    /// `data_is_known`: it is what was sent.
    KeepAction on_made(error_code ec, std::string path, const Stat& stat, bool data_is_known = true);
    /// `is_anothers`: another object of our session has made that node.
    KeepAction on_looked(error_code ec, const Stat& stat, bool is_anothers = false);
    KeepAction on_written(error_code ec, const Stat& stat);
    KeepAction on_removed(error_code ec);
    KeepAction on_watch_event();
    KeepAction on_pause_over();
    /// RemoveNode, if there is one now; LookAtNode, if there may be one. Else the next answer, or the next connection, may ask
    /// for that.
    KeepAction close();

    /// Of the node that is known to be there; empty without one.
    std::string node_path() const { return node_ && !closed_ ? node_->path : std::string(); }
    /// It is there, watched, and has the data that is wanted.
    bool settled() const { return node_ && node_->watched && node_->written == wanted_ && !closed_; }
    /// It is ours, as far as is known.
    bool has(const Stat& stat) const { return node_ && node_->czxid == stat.czxid; }
    /// What stands in its way, since the last answer.
    error_code obstacle() const { return obstacle_; }
    bool closed() const { return closed_; }
    bool has_that_name() const { return has_that_name_; }
    /// Something was asked for that is not answered yet.
    bool busy() const { return doing_ != Doing::nothing && doing_ != Doing::pausing; }
    /// Closed, and a node may still be there that goes when there is a connection.
    bool has_to_remove() const { return closed_ && (busy() || node_ || may_be_left()); }

private:
    enum class Doing { nothing, making, looking, writing, removing, pausing };
    struct Node {
        std::string path;
        std::int64_t owner = 0;
        std::int64_t czxid = 0;
        std::int32_t version = 0;
        int written = 0; // which data
        bool watched = false;
    };

    KeepAction next();
    KeepAction pause(error_code ec);
    KeepAction look(std::string path);
    KeepAction remove_what_is_left();
    KeepAction on_looked_behind_the_end(error_code ec, const Stat& stat, bool is_anothers);
    static Node node_of(std::string path, const Stat& stat) {
        return {std::move(path), stat.ephemeral_owner, stat.czxid, stat.version};
    }
    /// One that has an owner tells whether it is ours; one that has none may be anybody's.
    bool may_be_left() const { return in_doubt_ && is_ephemeral_ && has_that_name_; }
    bool is_ours(std::int64_t owner) const { return owner == (is_ephemeral_ ? session_ : 0); }

    const std::string path_;
    const bool is_ephemeral_;
    const bool has_that_name_;
    bool started_ = false;
    bool closed_ = false;
    bool connected_ = false;
    bool in_the_way_ = false; // somebody else's node, which is watched
    bool in_doubt_ = false;   // a make of this session may have been applied without our knowing
    std::int64_t session_ = 0;
    std::int64_t last_session_ = 0; // in which one was made, before this one
    std::int64_t maker_ = 0;        // the session of the last make
    int wanted_ = 1;
    int sent_ = 0; // the data that is being written
    Doing doing_ = Doing::nothing;
    std::optional<Node> node_;
    error_code obstacle_;
};

} // namespace docent::detail
