// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace docent::detail {

/// A call that consists of several operations, one after the other. first() makes the first one. Each completion calls
/// continue_with() or finish().
template <typename... Results> class SequenceOperation : public Operation {
public:
    explicit SequenceOperation(Done<Results...> done) : done_(std::move(done)) {}

    void begin() override { continue_with(first()); }
    void abort(error_code ec) override {
        if (const auto current = current_) return current->abort(ec);
        finish(ec, Results{}...);
    }
    Awaited awaited() const override { return current_ ? current_->awaited() : Awaited::answer; }
    bool may_have_effects() const override { return changed_ || (current_ && current_->may_have_effects()); }

protected:
    virtual std::shared_ptr<Operation> first() = 0;

    void continue_with(std::shared_ptr<Operation> next) {
        changed_ = may_have_effects();
        current_ = std::move(next);
        const auto current = current_; // a copy: begin() may replace current_
        current->begin();
    }
    /// The next step is not an operation, so an abort ends the call at once.
    void await_other() {
        changed_ = may_have_effects();
        current_.reset();
    }
    void finish(error_code ec, Results... results) {
        current_.reset();
        if (done_) std::exchange(done_, nullptr)(ec, std::move(results)...);
    }
    /// An owning pointer for the completions of the operations.
    template <typename Derived> std::shared_ptr<Derived> self() {
        return std::static_pointer_cast<Derived>(shared_from_this());
    }

private:
    Done<Results...> done_;
    std::shared_ptr<Operation> current_;
    bool changed_ = false; // by a step before the current one
};

/// A call with a fault that is known before anything is sent.
class Refusal final : public Operation {
public:
    explicit Refusal(std::function<void()> complete) : complete_(std::move(complete)) {}
    void begin() override { complete_(); }
    void abort(error_code) override { complete_(); }

private:
    std::function<void()> complete_;
};

/// A call that waits for one event of an object.
template <typename... Results> class AwaitOperation final : public Operation {
public:
    /// Registers a function, which is called once, and may be called before this returns.
    using Listen = std::function<Registration(Done<Results...>)>;

    /// `listen` owns the object.
    AwaitOperation(Listen listen, Awaited awaited, Done<Results...> done)
        : listen_(std::move(listen)), awaited_(awaited), done_(std::move(done)) {}

    void begin() override {
        registration_ = listen_(
            [self = shared_from_this(), this](error_code ec, Results... results) { finish(ec, std::move(results)...); });
        if (!done_) registration_.reset(); // completed already
    }
    void abort(error_code ec) override { finish(ec, Results{}...); }
    Awaited awaited() const override { return awaited_; }

private:
    void finish(error_code ec, Results... results) {
        const auto last = std::exchange(registration_, nullptr); // may own this object
        if (done_) std::exchange(done_, nullptr)(ec, std::move(results)...);
    }

    const Listen listen_; // owns the object that this call waits for
    const Awaited awaited_;
    Done<Results...> done_;
    Registration registration_;
};

/// A call that ends something, such as a leadership. Once begun, it goes on, also if the call is cancelled.
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
