// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "barrier/double_barrier_core.hpp"
#include "barrier/watching_operation.hpp"

#include <docent/path.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace docent::detail {

/// The common part of entering and leaving a double barrier.
class PassageOperation : public WatchingOperation {
public:
    PassageOperation(std::shared_ptr<ClientView> view, std::shared_ptr<DoubleBarrierCore> core, Done<> done)
        : WatchingOperation(std::move(view), std::move(done)), core_(std::move(core)) {}

protected:
    /// Begins, if the member is at the stage `from`.
    void pass(DoubleBarrierCore::Stage from, DoubleBarrierCore::Stage to) {
        if (core_->stage != from) return finish(server_error::invalid_state);
        core_->stage = to;
        start();
    }
    std::string path_of(std::string_view name) const { return join_path(core_->path(), name); }

    const std::shared_ptr<DoubleBarrierCore> core_;
};

} // namespace docent::detail
