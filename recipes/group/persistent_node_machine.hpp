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
/// The data that is wanted.
struct WriteNode {
    std::string path;
    friend bool operator==(const WriteNode&, const WriteNode&) = default;
};
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
    PersistentNodeMachine(std::string path, bool is_ephemeral) : path_(std::move(path)), is_ephemeral_(is_ephemeral) {}

    KeepAction start();
    KeepAction on_session(bool connected, std::int64_t session);
    /// Other data is wanted.
    KeepAction on_data();
    KeepAction on_made(error_code ec, std::string path, std::int64_t owner);
    KeepAction on_looked(error_code ec, const Stat& stat);
    KeepAction on_written(error_code ec);
    KeepAction on_removed();
    KeepAction on_watch_event();
    KeepAction on_pause_over();
    /// RemoveNode, if there is one now; else on_made() may ask for that.
    KeepAction close();

    /// Of the node that is known to be there; empty without one.
    std::string node_path() const { return node_ ? node_->path : std::string(); }
    /// It is there, watched, and has the data that is wanted.
    bool settled() const { return node_ && node_->watched && node_->written == wanted_; }
    /// What stands in its way, since the last answer.
    error_code obstacle() const { return obstacle_; }
    bool closed() const { return closed_; }

private:
    enum class Doing { nothing, making, looking, writing, removing, pausing };
    struct Node {
        std::string path;
        std::int64_t owner = 0;
        int written = 0; // which data
        bool watched = false;
    };

    KeepAction next();
    KeepAction pause(error_code ec);
    bool is_ours(std::int64_t owner) const { return !is_ephemeral_ || owner == session_; }

    const std::string path_;
    const bool is_ephemeral_;
    bool started_ = false;
    bool closed_ = false;
    bool connected_ = false;
    bool in_the_way_ = false; // somebody else's node, which is watched
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
