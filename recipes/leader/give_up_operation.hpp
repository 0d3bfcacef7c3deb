// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace docent::detail {

/// A call that resigns or closes. Once begun, it goes on, also if the call is cancelled.
class GiveUpOperation final : public Operation {
public:
    using Work = std::function<void(ClientView& through, std::function<void()> done)>;

    /// `always`: do the work also if the call ends before it begins.
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

} // namespace docent::detail
