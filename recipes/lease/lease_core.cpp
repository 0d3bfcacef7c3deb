// SPDX-License-Identifier: Apache-2.0

#include "lease/lease_core.hpp"
#include "base/while_alive.hpp"
#include "client/data/data_codec.hpp"
#include "names/node_name.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
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

std::optional<std::chrono::nanoseconds> LeaseCore::remaining_hold() noexcept {
    const auto until = owns() ? hold_.until() : std::nullopt;
    if (!until) return std::chrono::nanoseconds{0};
    if (*until == Hold::for_ever) return std::nullopt;
    return std::max<std::chrono::nanoseconds>(*until - boot_now()(), {});
}

error_code LeaseCore::extend(std::chrono::milliseconds from_now) noexcept {
    if (from_now <= from_now.zero()) return server_error::bad_arguments;
    const auto now = boot_now()();
    if (owns() && hold_.extend(now, Hold::end_after(now, from_now))) return {};
    return error::lease_lost;
}

bool LeaseCore::has_lapsed() const noexcept {
    const auto ended = hold_.state();
    return ended == LeaseState::lost || ended == LeaseState::expired;
}

error_code LeaseCore::end_code() const noexcept {
    return has_lapsed() ? error_code{} : error_code{asio::error::operation_aborted};
}

void LeaseCore::await_expiry() {
    const auto until = hold_.until();
    if (!until || *until == Hold::for_ever) return;
    const auto on_time = [this] { owns() ? await_expiry() : on_expired(); };
    expiry_ = view()->call_at(view()->now() + (*until - boot_now()()), while_alive(weak_from_this(), on_time));
}

} // namespace docent::detail
