// SPDX-License-Identifier: Apache-2.0
#include "lease/node_data.hpp"

#include "client/data/data_codec.hpp"

#include <utility>

namespace docent::detail {

std::optional<std::string> encoded_node_data(const ClientView& view, const std::string& path, LockOptions options) {
    if (!options.node_data) return std::nullopt;
    const error_code ec = encode_data(view.config(), path, Compression::client_default, *options.node_data);
    if (ec) throw Error(ec, "node data of " + path);
    return std::move(options.node_data);
}

} // namespace docent::detail
