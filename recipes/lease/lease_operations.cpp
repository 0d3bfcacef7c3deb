// SPDX-License-Identifier: Apache-2.0

// Lease::release() and Lease::wait_lost() as operations on the client's strand.

#include "client/core/completion/complete_empty.hpp"
#include "client/core/launch.hpp"
#include "lease/lease_core.hpp"

#include <boost/asio/error.hpp>

#include <utility>

namespace docent::detail {
namespace {

/// Releases a lease, also if the call is cancelled.
class ReleaseOperation final : public Operation {
public:
    ReleaseOperation(std::shared_ptr<ClientView> view, std::shared_ptr<LeaseCore> core, Done<> done)
        : view_(std::move(view)), core_(std::move(core)), done_(std::move(done)) {}

    void begin() override {
        sent_ = view_->session().state == SessionState::connected;
        core_->release(*view_, [self = shared_from_this(), this](error_code ec) { finish(ec); });
    }
    void abort(error_code ec) override {
        core_->release_later();
        finish(ec);
    }
    bool may_have_effects() const override { return true; }
    Awaited awaited() const override { return sent_ ? Awaited::effect : Awaited::answer; }

private:
    void finish(error_code ec) {
        if (done_) std::exchange(done_, nullptr)(ec);
    }

    std::shared_ptr<ClientView> view_;
    std::shared_ptr<LeaseCore> core_;
    Done<> done_;
    bool sent_ = false; // the removal of the node
};

class WaitLostOperation final : public Operation {
public:
    WaitLostOperation(std::shared_ptr<LeaseCore> core, Done<> done) : core_(std::move(core)), done_(std::move(done)) {}

    void begin() override {
        registration_ = core_->when_over([self = shared_from_this(), this](error_code ec) { finish(ec); });
        if (!done_) registration_.reset(); // the lease had ended already
    }
    void abort(error_code ec) override { finish(ec); }
    Awaited awaited() const override { return Awaited::news; }

private:
    void finish(error_code ec) {
        const auto last = std::exchange(registration_, nullptr); // may own this object
        if (done_) std::exchange(done_, nullptr)(ec);
    }

    std::shared_ptr<LeaseCore> core_;
    Done<> done_;
    Registration registration_;
};

} // namespace

asio::any_io_executor executor_of(const LeaseCore& core) {
    return core.view()->executor();
}

void initiate_release(const std::shared_ptr<LeaseCore>& core, CallOptions call, Handler<> handler) {
    if (!core) return complete_empty<>(std::move(handler), {});
    const auto make = [core](const auto& view, Done<> done) {
        return std::make_shared<ReleaseOperation>(view, core, std::move(done));
    };
    launch<>(core->view(), {"release", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_wait_lost(const std::shared_ptr<LeaseCore>& core, CallOptions call, Handler<> handler) {
    if (!core) return complete_empty<>(std::move(handler), asio::error::operation_aborted);
    const auto make = [core](const auto&, Done<> done) { return std::make_shared<WaitLostOperation>(core, std::move(done)); };
    launch<>(core->view(), {}, std::move(call), std::move(handler), make);
}

} // namespace docent::detail
