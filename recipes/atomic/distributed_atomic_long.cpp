// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/distributed_atomic_long.hpp>

#include "atomic/atomic_calls.hpp"
#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "shared/number_bytes.hpp"

#include <optional>
#include <utility>

namespace docent {
namespace detail {
namespace {

AtomicNumber to_number(error_code& ec, const AtomicBytes& bytes) {
    AtomicNumber result{bytes.succeeded, decode_number(bytes.before, ec), decode_number(bytes.after, ec), bytes.stats};
    return ec ? AtomicNumber{.stats = bytes.stats} : result;
}

/// Changes the number to `next(number, operand)`.
void launch_number_change(const std::shared_ptr<AtomicCore>& core, std::string_view name,
                          std::int64_t (*next)(std::int64_t number, std::int64_t operand), std::int64_t operand,
                          CallOptions call, Handler<AtomicNumber> handler) {
    auto change = [next, operand](const std::optional<std::string>& before) {
        NewData result;
        const std::int64_t number = decode_number(before, result.ec);
        if (!result.ec) result.data = encode_number(next(number, operand));
        return result;
    };
    launch_change<AtomicNumber>(core, name, {.change = std::move(change)}, std::move(call), std::move(handler), &to_number);
}

} // namespace

void initiate_number_get(const std::shared_ptr<AtomicCore>& core, CallOptions call, Handler<AtomicNumber> handler) {
    launch_get<AtomicNumber>(core, std::move(call), std::move(handler), &to_number);
}

void initiate_number_initialize(const std::shared_ptr<AtomicCore>& core, std::int64_t number, CallOptions call,
                                Handler<bool> handler) {
    initiate_atomic_initialize(core, encode_number(number), std::move(call), std::move(handler));
}

void initiate_number_force_set(const std::shared_ptr<AtomicCore>& core, std::int64_t number, CallOptions call,
                               Handler<> handler) {
    initiate_atomic_force_set(core, encode_number(number), std::move(call), std::move(handler));
}

void initiate_number_compare_and_set(const std::shared_ptr<AtomicCore>& core, std::int64_t expected, std::int64_t number,
                                     CallOptions call, Handler<AtomicNumber> handler) {
    auto change = [expected, number](const std::optional<std::string>& before) { // a missing node does not equal 0
        NewData result;
        const bool same = before && decode_number(before, result.ec) == expected;
        if (same && !result.ec) result.data = encode_number(number);
        return result;
    };
    launch_change<AtomicNumber>(core, "atomic_compare_and_set", {.change = std::move(change)}, std::move(call),
                                std::move(handler), &to_number);
}

void initiate_number_try_set(const std::shared_ptr<AtomicCore>& core, std::int64_t number, CallOptions call,
                             Handler<AtomicNumber> handler) {
    const auto replace = [](std::int64_t, std::int64_t operand) { return operand; };
    launch_number_change(core, "atomic_try_set", replace, number, std::move(call), std::move(handler));
}

void initiate_number_add(const std::shared_ptr<AtomicCore>& core, std::int64_t number, CallOptions call,
                         Handler<AtomicNumber> handler) {
    launch_number_change(core, "atomic_add", &wrapping_sum, number, std::move(call), std::move(handler));
}

void initiate_number_subtract(const std::shared_ptr<AtomicCore>& core, std::int64_t number, CallOptions call,
                              Handler<AtomicNumber> handler) {
    launch_number_change(core, "atomic_subtract", &wrapping_difference, number, std::move(call), std::move(handler));
}

} // namespace detail

namespace {

/// The throwing form of a call.
template <typename Call>
AtomicNumber or_throw_number(const DistributedAtomicLong& number, std::string_view operation, Call call) {
    return detail::throwing_number(sizeof(std::int64_t), operation, number.path(), std::move(call));
}

} // namespace

DistributedAtomicLong::DistributedAtomicLong(Client& client, std::string_view path, AtomicOptions options)
    : value_(client, path, std::move(options)) {
    core_ = detail::Access::core(value_);
}

AtomicNumber DistributedAtomicLong::get(error_code& ec, CallOptions call) {
    return detail::to_number(ec, value_.get(ec, std::move(call)));
}

AtomicNumber DistributedAtomicLong::get(CallOptions call) {
    return or_throw_number(*this, "read the atomic number", [&](error_code& ec) { return get(ec, std::move(call)); });
}

bool DistributedAtomicLong::initialize(std::int64_t number, error_code& ec, CallOptions call) {
    return value_.initialize(detail::encode_number(number), ec, std::move(call));
}

bool DistributedAtomicLong::initialize(std::int64_t number, CallOptions call) {
    return value_.initialize(detail::encode_number(number), std::move(call));
}

void DistributedAtomicLong::force_set(std::int64_t number, error_code& ec, CallOptions call) {
    value_.force_set(detail::encode_number(number), ec, std::move(call));
}

void DistributedAtomicLong::force_set(std::int64_t number, CallOptions call) {
    value_.force_set(detail::encode_number(number), std::move(call));
}

AtomicNumber DistributedAtomicLong::compare_and_set(std::int64_t expected, std::int64_t number, error_code& ec,
                                                    CallOptions call) {
    return detail::block<AtomicNumber>(*core_->view(), std::move(call), ec, detail::initiate_number_compare_and_set, core_,
                                       expected, number);
}

AtomicNumber DistributedAtomicLong::compare_and_set(std::int64_t expected, std::int64_t number, CallOptions call) {
    return or_throw_number(*this, "compare and set the atomic number",
                           [&](error_code& ec) { return compare_and_set(expected, number, ec, std::move(call)); });
}

AtomicNumber DistributedAtomicLong::try_set(std::int64_t number, error_code& ec, CallOptions call) {
    return detail::block<AtomicNumber>(*core_->view(), std::move(call), ec, detail::initiate_number_try_set, core_, number);
}

AtomicNumber DistributedAtomicLong::try_set(std::int64_t number, CallOptions call) {
    return or_throw_number(*this, "set the atomic number",
                           [&](error_code& ec) { return try_set(number, ec, std::move(call)); });
}

AtomicNumber DistributedAtomicLong::add(std::int64_t number, error_code& ec, CallOptions call) {
    return detail::block<AtomicNumber>(*core_->view(), std::move(call), ec, detail::initiate_number_add, core_, number);
}

AtomicNumber DistributedAtomicLong::add(std::int64_t number, CallOptions call) {
    return or_throw_number(*this, "add to the atomic number", [&](error_code& ec) { return add(number, ec, std::move(call)); });
}

AtomicNumber DistributedAtomicLong::subtract(std::int64_t number, error_code& ec, CallOptions call) {
    return detail::block<AtomicNumber>(*core_->view(), std::move(call), ec, detail::initiate_number_subtract, core_, number);
}

AtomicNumber DistributedAtomicLong::subtract(std::int64_t number, CallOptions call) {
    return or_throw_number(*this, "subtract from the atomic number",
                           [&](error_code& ec) { return subtract(number, ec, std::move(call)); });
}

} // namespace docent
