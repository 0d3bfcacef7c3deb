// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <docent/recipes/barrier/distributed_double_barrier.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace docent::detail {

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
