// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/shared_count.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "shared/number_bytes.hpp"

#include <utility>

namespace docent {
namespace {

/// The throwing form of a call. For data that is not a count, the text describes the right form.
template <typename Call> VersionedCount or_throw_count(const SharedCount& count, std::string_view operation, Call call) {
    return detail::checked(call, [&](const error_code& ec) {
        const bool is_bad = ec == error::corrupt_data;
        detail::throw_if(ec, operation, count.path(), is_bad ? "the node's data is not a number (4 bytes)" : "");
    });
}

VersionedCount to_count(const VersionedValue& value, error_code& ec) {
    const auto count = detail::decode_count(value.value);
    if (!ec && !count) ec = error::corrupt_data;
    return ec ? VersionedCount{} : VersionedCount{value.version, *count};
}

} // namespace

SharedCount::SharedCount(Client& client, std::string_view path, std::int32_t seed)
    : value_(client, path, detail::encode_count(seed)) {
    core_ = detail::Access::core(value_);
}

SharedCount::SharedCount(detail::SameObject same, const SharedCount& other) : value_(same, other.value_) {
    core_ = other.core_;
}

VersionedCount SharedCount::get(error_code& ec) const {
    ec = {};
    return to_count(value_.get(), ec);
}

VersionedCount SharedCount::get() const {
    return or_throw_count(*this, "read the shared count", [&](error_code& ec) { return get(ec); });
}

VersionedCount SharedCount::set(std::int32_t count, error_code& ec, CallOptions call) {
    return to_count(value_.set(detail::encode_count(count), ec, std::move(call)), ec);
}

VersionedCount SharedCount::set(std::int32_t count, CallOptions call) {
    return or_throw_count(*this, "set the shared count", [&](error_code& ec) { return set(count, ec, std::move(call)); });
}

bool SharedCount::try_set(const VersionedCount& expected, std::int32_t count, error_code& ec, CallOptions call) {
    return value_.try_set({expected.version, {}}, detail::encode_count(count), ec, std::move(call));
}

bool SharedCount::try_set(const VersionedCount& expected, std::int32_t count, CallOptions call) {
    return value_.try_set({expected.version, {}}, detail::encode_count(count), std::move(call));
}

Subscription SharedCount::listen(std::function<void(const VersionedCount&)> listener, asio::any_io_executor executor) {
    return value_.listen(
        [listener = std::move(listener)](const VersionedValue& value) {
            error_code ec;
            const VersionedCount count = to_count(value, ec);
            if (!ec) listener(count);
        },
        std::move(executor));
}

} // namespace docent
