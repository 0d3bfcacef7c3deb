// SPDX-License-Identifier: Apache-2.0
#pragma once

// One of many in a large world: wants something, holds it for a while, gives it back, and so on, whatever goes wrong.

#include "client/transaction/transaction_operation.hpp"
#include "observers/ledger.hpp"
#include "scenario/wish.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace docent::seeds {

using detail::FakeWorld;
using detail::LeaseCorePtr;
using detail::Ledger;
using detail::Wish;

/// How it goes about a turn: chances.
struct Habits {
    double gives_up = 0;           // cancels while it waits
    double hurries = 0;            // waits until a deadline only
    double tries = 0;              // does not wait at all
    double lingers = 0;            // holds for longer than a session can be silent
    double downgrades = 0;         // what it has written
    double commits = 0;            // a guarded transaction, while it holds something alone
    double drops = 0;              // lets go instead of releasing
    detail::LeaseTerms terms = {}; // of what it gets
};

class Participant final : public detail::FakeActor {
public:
    using Tell = std::function<void(const std::string&)>;

    Participant(FakeWorld& world, Ledger& ledger, std::string name, std::size_t client, std::vector<Wish> wishes, int turns,
                Habits habits, Tell tell);

    bool ready() const override { return turns_ > 0 && state_ == State::idle; }
    void act() override;

    bool finished() const;
    /// The leases that it would say it owns, asked without any effect.
    std::vector<LeaseCorePtr> owned() const;
    /// Hears what the last step has changed.
    void look();
    const std::string& name() const { return name_; }
    const std::string& complaint() const { return complaint_; }
    int granted() const { return granted_; }
    std::string text() const;

private:
    enum class State { idle, waiting, holding, downgrading, committing, releasing };

    void complain(const std::string& text) {
        if (complaint_.empty()) complaint_ = name_ + ": " + text;
    }
    bool chance(double probability) { return world_.surroundings().chance(probability); }
    std::chrono::milliseconds random_ms(std::size_t bound) {
        return std::chrono::milliseconds{world_.surroundings().below(bound)};
    }
    void after(std::chrono::milliseconds length, std::function<void()> next);
    bool is_certain() const; // of its session
    void abort(error_code why);
    void on_acquired();
    void go_on(); // with what it holds
    void downgrade();
    void on_downgraded();
    void commit();
    void on_committed(const error_code& ec, const TransactionResult& result, const std::string& value);
    void release();
    /// Grows with what would let a release end without the server's word.
    std::uint64_t unanswered() const { return 1 + broken_ + client_->requests_throttled(); }
    void on_released(const error_code& ec, const std::string& path);
    void check_failure(const error_code& ec, const std::string& of);

    FakeWorld& world_;
    Ledger& ledger_;
    const std::string name_;
    const std::size_t client_index_;
    const std::shared_ptr<detail::FakeClient> client_;
    const std::vector<Wish> wishes_;
    int turns_;
    const Habits habits_;
    const Tell tell_;

    State state_ = State::idle;
    const Wish* wish_ = nullptr;
    detail::AttemptPtr attempt_;
    detail::AttemptPtr downgrade_;
    std::weak_ptr<detail::Operation> commit_;
    bool reads_only_ = false; // since it has downgraded
    bool aborted_ = false;    // by itself
    bool in_doubt_ = false;   // its leases were not certain, at some time
    std::vector<LeaseCorePtr> held_;
    std::size_t open_releases_ = 0;
    std::uint64_t unanswered_at_release_ = 0;
    std::size_t broken_ = 0; // connections
    detail::Registration listener_;
    detail::Registration timer_;
    int granted_ = 0;
    int commits_ = 0;
    std::string complaint_;
};

} // namespace docent::seeds
