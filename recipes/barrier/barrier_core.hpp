// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <memory>
#include <string>
#include <utility>

namespace docent::detail {

/// The client and the path of a barrier.
class BarrierCore {
public:
    BarrierCore(std::shared_ptr<ClientView> view, std::string path) : view_(std::move(view)), path_(std::move(path)) {}

    const std::shared_ptr<ClientView>& view() const { return view_; }
    const std::string& path() const { return path_; }

private:
    std::shared_ptr<ClientView> view_;
    std::string path_;
};

} // namespace docent::detail
