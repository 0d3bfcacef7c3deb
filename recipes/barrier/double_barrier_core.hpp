// SPDX-License-Identifier: Apache-2.0
#pragma once

// A member of a double barrier, and the next step of a member by the nodes that it sees. The nodes are Curator's:
//
//     <path>/<uuid>   ephemeral: a member, from the beginning of its enter() to its leave()
//     <path>/ready    persistent: the members that are here may go on
//
// Members older than `ready` have passed, because `ready` is made when enough members are here.

#include "client/core/client_view.hpp"

#include <docent/recipes/barrier/distributed_double_barrier.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::detail {

// ---- entering. Pure.

struct EnteringView {
    std::int64_t own = 0;   // czxid of the member's node; 0: it does not exist
    std::int64_t ready = 0; // czxid of `ready`; 0: it does not exist
    std::size_t members = 0;
    std::optional<std::int64_t> oldest_other = {}; // czxid; 0: there is no other member. Empty: not known
};

enum class EnteringStep {
    fail, // the member's node is gone
    go_in,
    make_ready,
    look_at_others, // read the czxids of the other members' nodes
    remove_ready,   // it is a leftover: none of the members that it was made for is here
    await_ready,
};

/// `wanted`: the number of members that the barrier waits for.
inline EnteringStep next_entering(const EnteringView& seen, std::size_t wanted) {
    if (seen.own == 0) return EnteringStep::fail;
    if (seen.ready == 0) return seen.members >= wanted ? EnteringStep::make_ready : EnteringStep::await_ready;
    if (seen.own < seen.ready) return EnteringStep::go_in;
    if (!seen.oldest_other) return EnteringStep::look_at_others;
    const bool some_are_inside = *seen.oldest_other != 0 && *seen.oldest_other < seen.ready;
    return some_are_inside ? EnteringStep::go_in : EnteringStep::remove_ready;
}

// ---- leaving. Pure.

struct LeavingView {
    bool own_is_there = false;
    std::string_view own;
    std::vector<std::string> others = {}; // sorted: members that were inside when this member began to leave, and still are
    bool lost = false;                    // the member's node was gone before, or belongs to an earlier session
    std::optional<bool> ready = {};       // whether `ready` exists. Empty: not known
};

struct LeavingStep {
    enum class Kind {
        remove_own,
        remove_own_and_ready, // both at once: this is the last member, and the next members need a new `ready`
        await_removal,        // of the node `name`
        look_for_ready, // are the others inside, or do they wait for more members (perhaps for the one that lost its node)?
        all_have_left,
    } kind;
    std::string name = {};
    friend bool operator==(const LeavingStep&, const LeavingStep&) = default;
};

/// The member with the lowest name stays until the others have gone; it waits for one after the other. The others remove their
/// nodes at once and wait for the lowest. A member that has lost its node may see nodes of members that enter again and wait
/// for it. So without `ready`, it waits for no member.
inline LeavingStep next_leaving(const LeavingView& seen) {
    using enum LeavingStep::Kind;
    if (seen.others.empty()) return {seen.own_is_there ? remove_own_and_ready : all_have_left};
    if (seen.own_is_there && seen.own < seen.others.front()) return {await_removal, seen.others.back()};
    if (seen.own_is_there) return {remove_own};
    if (seen.lost && !seen.ready) return {look_for_ready};
    if (seen.lost && !*seen.ready) return {all_have_left};
    return {await_removal, seen.others.front()};
}

// ----

/// A member of a double barrier. Only view() and path() may be called off the strand.
class DoubleBarrierCore {
public:
    enum class Stage { outside, entering, inside, leaving };

    DoubleBarrierCore(std::shared_ptr<ClientView> view, std::string path, std::size_t wanted)
        : view_(std::move(view)), path_(std::move(path)), wanted_(wanted) {}
    /// A member that is inside leaves without waiting, at the latest when its session ends.
    ~DoubleBarrierCore() {
        if (stage != Stage::inside) return;
        try {
            view_->post([view = view_, own = own_path] { view->remove_in_background({own}, nullptr); });
        } catch (...) { // no memory
        }
    }
    DoubleBarrierCore(const DoubleBarrierCore&) = delete;
    DoubleBarrierCore& operator=(const DoubleBarrierCore&) = delete;

    const std::shared_ptr<ClientView>& view() const { return view_; }
    const std::string& path() const { return path_; }
    std::size_t wanted() const { return wanted_; }

    Stage stage = Stage::outside;
    std::string own_path;        // the member's node, while it is inside
    std::uint64_t own_epoch = 0; // of the node's session

private:
    const std::shared_ptr<ClientView> view_;
    const std::string path_;
    const std::size_t wanted_;
};

} // namespace docent::detail
