// SPDX-License-Identifier: Apache-2.0

// The calls of a latch, as operations on the client's strand.

#include "client/core/launch.hpp"
#include "leader/election_inspection.hpp"
#include "leader/give_up_operation.hpp"
#include "leader/latch_core.hpp"

#include <utility>

namespace docent::detail {
namespace {

class AwaitLeadershipOperation final : public Operation {
public:
    AwaitLeadershipOperation(std::shared_ptr<LatchCore> core, Done<Leadership> done)
        : core_(std::move(core)), done_(std::move(done)) {}

    void begin() override {
        registration_ = core_->when_leading(
            [self = shared_from_this(), this](error_code ec, Leadership leadership) { finish(ec, std::move(leadership)); });
        if (!done_) registration_.reset(); // completed already
    }
    void abort(error_code ec) override { finish(ec, nullptr); }
    Awaited awaited() const override { return Awaited::turn; }

private:
    void finish(error_code ec, Leadership leadership) {
        const auto last = std::exchange(registration_, nullptr); // may own this object
        if (done_) std::exchange(done_, nullptr)(ec, std::move(leadership));
    }

    std::shared_ptr<LatchCore> core_;
    Done<Leadership> done_;
    Registration registration_;
};

} // namespace

asio::any_io_executor executor_of(const LatchCore& core) {
    return core.view()->executor();
}

void initiate_await_leadership(const std::shared_ptr<LatchCore>& core, CallOptions call, Handler<Leadership> handler) {
    const auto make = [&core](const auto&, Done<Leadership> done) {
        return std::make_shared<AwaitLeadershipOperation>(core, std::move(done));
    };
    launch<Leadership>(core->view(), {"await_leadership", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_resign(const std::shared_ptr<LatchCore>& core, CallOptions call, Handler<> handler) {
    const auto make = [&core](const auto& view, Done<> done) {
        auto work = [core](ClientView& through, std::function<void()> then) { core->resign(through, std::move(then)); };
        return std::make_shared<GiveUpOperation>(view, std::move(work), false, std::move(done));
    };
    launch<>(core->view(), {"resign", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_latch_close(const std::shared_ptr<LatchCore>& core, LatchClose how, CallOptions call, Handler<> handler) {
    const auto make = [&core, how](const auto& view, Done<> done) {
        auto work = [core, how](ClientView& through, std::function<void()> then) {
            core->close(how, through, std::move(then));
        };
        return std::make_shared<GiveUpOperation>(view, std::move(work), true, std::move(done));
    };
    launch<>(core->view(), {"latch_close", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_participants(const std::shared_ptr<LatchCore>& core, CallOptions call,
                           Handler<std::vector<Participant>> handler) {
    inspect_election({*core, RecipeKind::leader_latch, "latch_participants"}, std::move(call), std::move(handler), &all_of);
}

void initiate_leader(const std::shared_ptr<LatchCore>& core, CallOptions call, Handler<std::optional<Participant>> handler) {
    inspect_election({*core, RecipeKind::leader_latch, "latch_leader"}, std::move(call), std::move(handler), &first_of);
}

} // namespace docent::detail
