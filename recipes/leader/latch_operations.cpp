// SPDX-License-Identifier: Apache-2.0

// What is asked of a latch, as operations on the client's strand.

#include "client/core/launch.hpp"
#include "inspection/inspect_operation.hpp"
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
        if (!done_) registration_.reset(); // it was answered already
    }
    void abort(error_code ec) override { finish(ec, nullptr); }
    error_code timeout_error() const override { return error::not_acquired; }

private:
    void finish(error_code ec, Leadership leadership) {
        const auto last = std::exchange(registration_, nullptr); // may own us
        if (done_) std::exchange(done_, nullptr)(ec, std::move(leadership));
    }

    std::shared_ptr<LatchCore> core_;
    Done<Leadership> done_;
    Registration registration_;
};

/// A call that gives something up: once begun it goes on, whatever becomes of who waits for it.
class GiveUpOperation final : public Operation {
public:
    using Work = std::function<void(ClientView& through, std::function<void()> done)>;

    /// `always`: the work is done even if the call ends before it begins.
    GiveUpOperation(std::shared_ptr<ClientView> view, Work work, bool always, Done<> done)
        : view_(std::move(view)), work_(std::move(work)), always_(always), done_(std::move(done)) {}

    void begin() override { run(); }
    void abort(error_code ec) override {
        auto done = std::exchange(done_, nullptr);
        if (always_) run();
        if (done) done(ec);
    }
    bool may_have_effects() const override { return always_ || !work_; }

private:
    void run() {
        if (!work_) return;
        std::exchange(work_, nullptr)(*view_, [self = shared_from_this(), this] {
            if (done_) std::exchange(done_, nullptr)({});
        });
    }

    std::shared_ptr<ClientView> view_;
    Work work_;
    bool always_;
    Done<> done_;
};

template <typename Result>
void initiate_election_inspection(const std::shared_ptr<LatchCore>& core, const char* name, CallOptions call,
                                  Handler<Result> handler, Result (*pick)(std::vector<Participant>)) {
    const auto make = [&core, pick](const std::shared_ptr<ClientView>& view, Done<Result> done) {
        return std::make_shared<InspectOperation>(
            view, core->path(), [done = std::move(done), pick](error_code ec, Inspection found) {
                if (ec == server_error::no_node) ec = {}; // nobody has been there yet
                std::erase_if(found.participants, [](const Participant& p) { return p.recipe != RecipeKind::leader_latch; });
                done(ec, pick(std::move(found.participants)));
            });
    };
    launch<Result>(core->view(), {name, core->path()}, std::move(call), std::move(handler), make);
}

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

void initiate_latch_participants(const std::shared_ptr<LatchCore>& core, CallOptions call,
                                 Handler<std::vector<Participant>> handler) {
    using All = std::vector<Participant>;
    initiate_election_inspection<All>(core, "latch_participants", std::move(call), std::move(handler),
                                      [](All participants) { return participants; });
}

void initiate_latch_leader(const std::shared_ptr<LatchCore>& core, CallOptions call,
                           Handler<std::optional<Participant>> handler) {
    using First = std::optional<Participant>;
    initiate_election_inspection<First>(
        core, "latch_leader", std::move(call), std::move(handler),
        [](std::vector<Participant> all) { return all.empty() ? First{} : First{std::move(all.front())}; });
}

} // namespace docent::detail
