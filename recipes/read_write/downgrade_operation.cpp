// SPDX-License-Identifier: Apache-2.0
#include "read_write/downgrade_operation.hpp"

#include "complete_empty.hpp"
#include "queue/contender.hpp"

#include <docent/path.hpp>

#include <optional>
#include <utility>

namespace docent::detail {
namespace {

constexpr std::size_t digits = 10;

/// The path of the read node beside a write node; nothing for nodes of other recipes.
std::optional<std::string> read_path_beside(const std::string& write_path) {
    const std::string_view name = node_name(write_path);
    const auto contender = parse_contender(read_write_names(), name);
    if (!contender || contender->kind != ContenderKind::exclusive) return std::nullopt;
    return join_path(parent_path(write_path), "__READ__" + std::string(name.substr(name.size() - digits)));
}

} // namespace

DowngradeOperation::DowngradeOperation(std::shared_ptr<LeaseCore> write, WriteLease then, BootNow boot_now, Done<Lease> done)
    : write_(std::move(write)), then_(then), boot_now_(std::move(boot_now)), done_(std::move(done)) {}

void DowngradeOperation::begin() {
    const auto path = read_path_beside(write_->path());
    if (!path) return finish(server_error::bad_arguments, {});
    const auto& launcher = write_->launcher();
    const SessionEvent session = launcher->session();
    if (!write_->owns() || session.epoch != write_->epoch()) return finish(error::lease_lost, {});
    session_id_ = session.session_id;
    zk::CreateRequest request{.path = *path, .data = launcher->default_data(), .mode = CreateMode::ephemeral};
    creating_ = std::make_shared<CreateOperation>(
        launcher, std::move(request), CreateOptions{.mode = CreateMode::ephemeral, .protection = Protection::protected_},
        [self = shared_from_this(), this](error_code ec, const Created& created) { on_created(ec, created); });
    write_over_ = write_->when_over([weak = weak_from_this()](error_code) {
        if (const auto self = weak.lock()) self->abort(error::lease_lost); // before anything is made in another session
    });
    if (const auto creating = creating_) creating->begin();
}

void DowngradeOperation::abort(error_code ec) {
    if (const auto creating = creating_) return creating->abort(ec);
    finish(ec, {});
}

error_code DowngradeOperation::timeout_error() const {
    return error::not_acquired;
}

void DowngradeOperation::on_created(error_code ec, const Created& created) {
    if (ec) return finish(ec, {});
    // What was made when the write lock was lost already is a place that belongs to somebody else.
    if (!write_->owns() || created.stat.ephemeral_owner != session_id_) {
        write_->launcher()->remove_in_background({created.path}, nullptr);
        return finish(error::lease_lost, {});
    }
    auto read = LeaseCore::make(write_->launcher(), {created.path, created.stat.czxid, write_->epoch()}, boot_now_);
    write_over_.reset();
    if (then_ == WriteLease::is_released) write_->release_later();
    finish({}, Lease(std::move(read)));
}

void DowngradeOperation::finish(error_code ec, Lease lease) {
    const auto creating = std::move(creating_); // may own us
    const auto over = std::move(write_over_);
    if (done_) std::exchange(done_, nullptr)(ec, std::move(lease));
}

namespace {

void start(const std::shared_ptr<LeaseCore>& write, WriteLease then, CallOptions call, Handler<Lease> handler) {
    if (!write) return complete_empty<Lease>(std::move(handler), error::lease_lost);
    const auto make = [&](const auto&, Done<Lease> done) {
        return std::make_shared<DowngradeOperation>(write, then, write->boot_now(), std::move(done));
    };
    launch<Lease>(write->launcher(), {"downgrade", write->path()}, std::move(call), std::move(handler), make);
}

} // namespace

void start_beside(const std::shared_ptr<LeaseCore>& write, CallOptions call, Handler<Lease> handler) {
    start(write, WriteLease::stays, std::move(call), std::move(handler));
}

void start_downgrade(const std::shared_ptr<LeaseCore>& write, CallOptions call, Handler<Lease> handler) {
    start(write, WriteLease::is_released, std::move(call), std::move(handler));
}

} // namespace docent::detail
