// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake_recipes/actor.hpp"
#include "group/persistent_node_core.hpp"

#include <docent/path.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace docent::detail {

/// Keeps a persistent node: sets its data, waits for it, closes it, and keeps another one. In the end, the node must exist
/// once, with the newest data, in the living session. After it is closed, it must be gone.
class NodeKeeper final : public Actor {
public:
    /// `path`: other keepers may share it, unless the node is protected, sequential or persistent.
    NodeKeeper(FakeWorld& world, std::size_t client, std::string path, PersistentNodeOptions options, int turns)
        : Actor(world, client), path_(std::move(path)), options_(std::move(options)), turns_(turns) {}

    bool ready() const override { return !busy_ && turns_ > 0 && !calm_; }
    void act() override {
        --turns_;
        switch (world_.surroundings().below(5)) {
        case 0: return wait();
        case 1: return close();
        case 2: return drop();
        default: return set_data({.timeout = random_ms(3000)});
        }
    }
    void calm_down() override {
        calm_ = true;
        stop_.request_stop();
        after(until_all_is_known, [this] { set_last_data(); });
    }
    bool finished() const override { return closed_ && !is_there(); }

private:
    PersistentNodeCore& core() {
        if (core_) return *core_;
        tell(name + " keeps " + path_);
        data_ = options_.data = next_text();
        core_ = std::make_shared<PersistentNodeCore>(client_, path_, options_, options_.data);
        last_change_ = PersistentNodeChange::gone;
        listening_ = core_->listen([this](const PersistentNodeEvent& event) { on_event(event); });
        static_cast<void>(core_->start());
        return *core_;
    }
    std::string next_text() { return name + " " + std::to_string(++texts_); }
    void on_event(const PersistentNodeEvent& event) {
        if (event.change == PersistentNodeChange::not_made) return;
        tell(name + ": " + event.node_path + " " + std::string(to_string(event.change)));
        if (event.change == last_change_) complain("the node was " + std::string(to_string(event.change)) + " twice");
        last_change_ = event.change;
    }
    std::shared_ptr<PersistentNodeCore> shared() {
        core();
        return core_;
    }
    void begin() {
        busy_ = true;
        stop_ = {};
    }
    void wait() {
        begin();
        initiate_await_node(shared(), {.timeout = random_ms(3000), .stop = stop_.get_token()},
                            once<std::string>([this](error_code ec) {
                                busy_ = false;
                                if (!ec) ++achieved;
                            }));
    }
    void set_data(CallOptions call) {
        begin();
        const auto core = shared();
        data_ = next_text();
        tell(name + " sets \"" + data_ + '"');
        call.stop = stop_.get_token();
        initiate_node_set(core, data_, std::move(call), once<>([this](error_code ec) {
                              busy_ = false;
                              if (!ec) ++achieved;
                          }));
    }
    void close() {
        if (!core_) return;
        begin();
        tell(name + " closes");
        listening_.reset();
        initiate_node_close(std::exchange(core_, nullptr), {}, once<>([this](error_code) { busy_ = false; }));
    }
    void drop() {
        if (!core_) return;
        tell(name + " closes without waiting");
        listening_.reset();
        client_->post([core = std::exchange(core_, nullptr)] { core->close([] {}); });
    }

    // ---- the end
    void set_last_data() {
        if (busy_) return after(until_all_is_known, [this] { set_last_data(); });
        const auto core = shared();
        data_ = next_text();
        tell(name + " sets \"" + data_ + "\", for the last time");
        initiate_node_set(core, data_, {}, once<>([this](error_code ec) {
                              if (ec && ++attempts_ > 20) return complain("it does not settle: " + ec.message());
                              after(until_all_is_known, [this, ec] { ec ? set_last_data() : check_and_close(); });
                          }));
    }
    void check_and_close() {
        const std::string path = core_->node_path();
        const TreeNode* node = path.empty() ? nullptr : truth().find(path);
        if (!node) return complain("the node is not there");
        if (node->data != data_) complain(path + " has \"" + node->data + "\", not \"" + data_ + '"');
        const auto owner = is_ephemeral(options_.mode) ? client_->session().session_id : 0;
        if (node->stat.ephemeral_owner != owner) complain(path + " is not of its session");
        if (truth().children(std::string(parent_path(path_))).size() != 1 && is_alone()) complain("there are several nodes");
        czxid_ = node->stat.czxid;
        last_path_ = path;
        ++achieved;
        tell(name + " closes, for the last time");
        listening_.reset();
        initiate_node_close(std::exchange(core_, nullptr), {}, once<>([this](error_code ec) {
                                if (ec) complain("a close failed: " + ec.message());
                                if (is_there()) complain(last_path_ + " is there behind the end of the close");
                                closed_ = true;
                            }));
    }
    bool is_alone() const { return options_.protection == Protection::protected_ || !is_ephemeral(options_.mode); }
    bool is_there() const {
        const TreeNode* node = truth().find(last_path_);
        return node && node->stat.czxid == czxid_;
    }

    const std::string path_;
    PersistentNodeOptions options_;
    int turns_;
    int texts_ = 0;
    int attempts_ = 0;
    bool busy_ = false;
    bool calm_ = false;
    bool closed_ = false;
    std::stop_source stop_;
    std::string data_; // the data that was set last
    std::string last_path_;
    std::int64_t czxid_ = 0;
    std::shared_ptr<PersistentNodeCore> core_;
    PersistentNodeChange last_change_ = PersistentNodeChange::gone;
    Registration listening_;
};

} // namespace docent::detail
