// SPDX-License-Identifier: Apache-2.0
#include "multi/multi_core.hpp"
#include "client/core/launch.hpp"

#include "multi/multi_operation.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace docent::detail {

MultiCore::MultiCore(std::vector<std::shared_ptr<LockSource>> listed) : listed_(std::move(listed)), order_(listed_.size()) {
    if (listed_.empty()) throw Error(server_error::bad_arguments, "multi-lock without locks");
    std::vector<std::string> keys;
    for (const auto& lock : listed_) {
        if (&lock->view()->root() != &view()->root()) {
            throw Error(server_error::bad_arguments, "multi-lock with locks of two clients: " + lock->path());
        }
        keys.push_back(lock->view()->server_path(lock->path()));
    }
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    const auto twice =
        std::adjacent_find(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return keys[a] == keys[b]; });
    if (twice != order_.end()) {
        throw Error(error::would_deadlock, "multi-lock with the same path twice: " + listed_[*twice]->path());
    }
}

std::vector<std::string> MultiCore::paths() const {
    std::vector<std::string> paths;
    for (const auto& lock : listed_) paths.push_back(lock->path());
    return paths;
}

asio::any_io_executor executor_of(const MultiCore& core) {
    return core.view()->executor();
}

void initiate_acquire(const std::shared_ptr<MultiCore>& core, AcquireWait wait, CallOptions call, Handler<MultiLease> handler) {
    const auto make = [&, retry_policy = call.retry_policy](const auto&, Done<MultiLease> done) {
        return std::make_shared<MultiOperation>(core, wait, CallOptions{.retry_policy = retry_policy}, std::move(done));
    };
    launch<MultiLease>(core->view(), {}, std::move(call), std::move(handler), make);
}

} // namespace docent::detail
