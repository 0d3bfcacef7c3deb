// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/distributed_atomic_value.hpp>

#include "atomic/atomic_calls.hpp"
#include "client/core/access.hpp"
#include "client/core/blocking.hpp"

#include <utility>

namespace docent {
namespace detail {
namespace {

AtomicBytes as_it_is(error_code&, AtomicBytes result) {
    return result;
}

} // namespace

asio::any_io_executor executor_of(const AtomicCore& core) {
    return core.view()->executor();
}

void initiate_atomic_get(const std::shared_ptr<AtomicCore>& core, CallOptions call, Handler<AtomicBytes> handler) {
    launch_get<AtomicBytes>(core, std::move(call), std::move(handler), &as_it_is);
}

/// Tries at once, with the guess that there is no node.
void initiate_atomic_initialize(const std::shared_ptr<AtomicCore>& core, std::string value, CallOptions call,
                                Handler<bool> handler) {
    AtomicMachine::Plan plan{
        .change = [value = std::move(value)](const auto& before) { return before ? NewData{} : NewData{value}; },
        .guess = SeenValue{}};
    launch_change<bool>(core, "atomic_initialize", std::move(plan), std::move(call), std::move(handler),
                        [](error_code& ec, const AtomicBytes& result) {
                            must_be_settled(ec, result.succeeded || result.before);
                            return result.succeeded;
                        });
}

/// Tries at once, with the guess that the node exists.
void initiate_atomic_force_set(const std::shared_ptr<AtomicCore>& core, std::string value, CallOptions call,
                               Handler<> handler) {
    AtomicMachine::Plan plan{.change = [value = std::move(value)](const auto&) { return NewData{value}; },
                             .blind = true,
                             .guess = SeenValue{std::string()}};
    launch_certain_change(core, "atomic_force_set", std::move(plan), std::move(call), std::move(handler));
}

void initiate_atomic_compare_and_set(const std::shared_ptr<AtomicCore>& core, std::string expected, std::string value,
                                     CallOptions call, Handler<AtomicBytes> handler) {
    auto change = [expected = std::move(expected), value = std::move(value)](const std::optional<std::string>& before) {
        return before == expected ? NewData{value} : NewData{};
    };
    launch_change<AtomicBytes>(core, "atomic_compare_and_set", {.change = std::move(change)}, std::move(call),
                               std::move(handler), &as_it_is);
}

void initiate_atomic_try_set(const std::shared_ptr<AtomicCore>& core, std::string value, CallOptions call,
                             Handler<AtomicBytes> handler) {
    auto change = [value = std::move(value)](const auto&) { return NewData{value}; };
    launch_change<AtomicBytes>(core, "atomic_try_set", {.change = std::move(change)}, std::move(call), std::move(handler),
                               &as_it_is);
}

} // namespace detail

DistributedAtomicValue::DistributedAtomicValue(Client& client, std::string_view path, AtomicOptions options) {
    detail::require_path("atomic value", path);
    detail::require_path("atomic value", options.marker_parent);
    if (options.promoted) detail::require_path("atomic value", options.promoted->path);
    const auto& view = detail::Access::open_view(client, "atomic value");
    core_ = std::make_shared<detail::AtomicCore>(view, std::string(path), std::move(options));
    marking_ = detail::post_at_end(core_->view(), [core = core_] { core->stop(); }); // removes the marker and the watch
}

const std::string& DistributedAtomicValue::path() const noexcept {
    return core_->path();
}

AtomicBytes DistributedAtomicValue::get(error_code& ec, CallOptions call) {
    return detail::block<AtomicBytes>(*core_->view(), std::move(call), ec, detail::initiate_atomic_get, core_);
}

AtomicBytes DistributedAtomicValue::get(CallOptions call) {
    return detail::throwing("read the atomic value", path(), [&](error_code& ec) { return get(ec, std::move(call)); });
}

bool DistributedAtomicValue::initialize(std::string_view value, error_code& ec, CallOptions call) {
    return detail::block<bool>(*core_->view(), std::move(call), ec, detail::initiate_atomic_initialize, core_,
                               std::string(value));
}

bool DistributedAtomicValue::initialize(std::string_view value, CallOptions call) {
    return detail::throwing("initialize the atomic value", path(),
                            [&](error_code& ec) { return initialize(value, ec, std::move(call)); });
}

void DistributedAtomicValue::force_set(std::string_view value, error_code& ec, CallOptions call) {
    detail::block<>(*core_->view(), std::move(call), ec, detail::initiate_atomic_force_set, core_, std::string(value));
}

void DistributedAtomicValue::force_set(std::string_view value, CallOptions call) {
    detail::throwing("set the atomic value", path(), [&](error_code& ec) { force_set(value, ec, std::move(call)); });
}

AtomicBytes DistributedAtomicValue::compare_and_set(std::string_view expected, std::string_view value, error_code& ec,
                                                    CallOptions call) {
    return detail::block<AtomicBytes>(*core_->view(), std::move(call), ec, detail::initiate_atomic_compare_and_set, core_,
                                      std::string(expected), std::string(value));
}

AtomicBytes DistributedAtomicValue::compare_and_set(std::string_view expected, std::string_view value, CallOptions call) {
    return detail::throwing("compare and set the atomic value", path(),
                            [&](error_code& ec) { return compare_and_set(expected, value, ec, std::move(call)); });
}

AtomicBytes DistributedAtomicValue::try_set(std::string_view value, error_code& ec, CallOptions call) {
    return detail::block<AtomicBytes>(*core_->view(), std::move(call), ec, detail::initiate_atomic_try_set, core_,
                                      std::string(value));
}

AtomicBytes DistributedAtomicValue::try_set(std::string_view value, CallOptions call) {
    return detail::throwing("set the atomic value", path(),
                            [&](error_code& ec) { return try_set(value, ec, std::move(call)); });
}

} // namespace docent
