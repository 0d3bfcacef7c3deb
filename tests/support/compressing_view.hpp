// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/forwarding_view.hpp"

#include <docent/client_config.hpp>

#include <memory>
#include <utility>

namespace docent::detail {

/// A client that compresses data by default.
class CompressingView final : public ForwardingView {
public:
    explicit CompressingView(std::shared_ptr<ClientView> inner)
        : ForwardingView(std::move(inner)), config_(ForwardingView::config()) {
        config_.compression = Compression::compressed;
    }
    const ClientConfig& config() const override { return config_; }

private:
    ClientConfig config_;
};

} // namespace docent::detail
