// SPDX-License-Identifier: Apache-2.0

#include "lease/lease_core.hpp"
#include "client/data/data_codec.hpp"
#include "names/node_name.hpp"

#include <utility>

namespace docent::detail {

LeaseTerms lease_terms(const ClientView& view, const std::string& path, LockOptions options) {
    LeaseTerms terms;
    if (options.max_hold) terms.max_hold = *options.max_hold;
    if (terms.max_hold <= terms.max_hold.zero()) {
        throw Error(server_error::bad_arguments, path + ": max_hold must be longer than 0");
    }
    if (options.keep_for < options.keep_for.zero()) {
        throw Error(server_error::bad_arguments, path + ": keep_for must not be negative");
    }
    terms.keep_for = options.keep_for;
    terms.max_local_handovers = options.max_local_handovers;
    terms.label = std::move(options.label);
    if (options.owner && !is_owner(*options.owner)) {
        throw Error(server_error::bad_arguments, path + ": owner must be 1 to 200 printable ASCII characters without a space");
    }
    if (!options.node_data && options.owner) options.node_data = view.config().default_data.value_or("");
    if (!options.node_data) return terms;
    if (options.owner) options.node_data = with_owner(std::move(*options.node_data), *options.owner);
    const error_code ec = encode_data(view.config(), path, Compression::client_default, *options.node_data);
    if (ec) throw Error(ec, "node data of " + path);
    terms.node_data = std::move(options.node_data);
    return terms;
}

} // namespace docent::detail
