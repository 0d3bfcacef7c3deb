// SPDX-License-Identifier: Apache-2.0
#include "role.hpp"

#include "client/transaction/transaction_operation.hpp"
#include "observers/text_builder.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace docent::explorer {

using detail::lease_of;
using detail::LockRequests;

Contender::Contender(detail::FakeWorld& world, detail::Ledger& ledger, std::size_t client, std::size_t number,
                     LockRequest request)
    : world_(world), ledger_(ledger), client_(client), number_(number), request_(std::move(request)),
      value_(std::to_string(number)) {}

void Contender::start() {
    state_ = State::waiting;
    was_in_doubt_ = false;
    const LockRequests requests(world_, request_.terms, number_);
    if (keeps() && !kept_) kept_ = request_.keep(requests, client_);
    attempt_ = request_.start(requests, client_, {});
}

void Contender::cancel() {
    cancelled = true;
    const auto& of = state_ == State::downgrading ? downgrade_ : state_ == State::committing ? commit_ : attempt_;
    of->abort(boost::asio::error::operation_aborted);
}

void Contender::proceed() {
    if (starts_again()) return start();
    if (state_ == State::idle) {
        state_ = State::done;
        return kept_.reset();
    }
    if (request_.commits && !commit_) return commit();
    if (!request_.downgrades || downgrade_) return begin_release();
    state_ = State::downgrading;
    downgrade_ = LockRequests(world_).downgrade(attempt_);
}

/// Writes the contender's number.
void Contender::commit() {
    state_ = State::committing;
    commit_ = std::make_shared<detail::Attempt>();
    Transaction transaction;
    transaction.guard(held_.front()->path()).set_data(detail::Ledger::path, value_).exactly_once();
    ledger_.expect(value_, "/lock", held_.front()->fencing_token());
    const auto operation = std::make_shared<detail::TransactionOperation>(
        std::make_shared<detail::FakeCaller>(world_.share(client_), number_), std::move(transaction),
        [this](const error_code& ec, const TransactionResult&) { on_committed(ec); });
    commit_->operation = operation;
    operation->begin();
}

void Contender::on_committed(const error_code& ec) {
    using Told = detail::Ledger::Told;
    if (++commit_->completed > 1) return complain("a transaction completed twice");
    commit_->ec = ec;
    const bool never = ec == error::lease_lost || ec == error::not_connected;
    ledger_.told(value_, !ec ? Told::applied : never ? Told::not_applied : Told::nothing);
}

void Contender::begin_release() {
    state_ = State::releasing;
    for (const auto& core : held_) {
        ++*open_releases_;
        core->release(*core->view(), [this, open = open_releases_, path = core->path()](error_code ec) {
            --*open;
            const bool there = world_.surroundings().ensemble.truth().find(path) != nullptr;
            if (!ec && there && !keeps() && world_.client(client_).linked())
                complain("a release ended, and " + path + " is still there");
        });
    }
}

void Contender::look() {
    if (attempt_ && attempt_->completed > 1) complain("an acquire completed twice");
    if (downgrade_ && downgrade_->completed > 1) complain("a downgrade completed twice");
    if (state_ == State::waiting && attempt_->completed == 1) {
        if (static_cast<bool>(attempt_->ec) == static_cast<bool>(attempt_->got)) complain("an acquire ended in an odd way");
        failure_ = attempt_->ec;
        state_ = !attempt_->ec ? State::holding : keeps() ? State::idle : State::done;
        ++holds_had_;
        if (attempt_->got) held_ = request_.leases(attempt_);
        if (attempt_->got && owned().size() != held_.size()) complain("the session was not certain when the lock was granted");
    }
    if (state_ == State::downgrading && downgrade_->completed == 1) {
        failure_ = downgrade_->ec;
        state_ = State::holding;
        if (downgrade_->got) held_ = lease_of(downgrade_);
    }
    if (state_ == State::committing && commit_->completed == 1) {
        failure_ = commit_->ec;
        state_ = State::holding;
    }
    if (state_ == State::holding || state_ == State::downgrading || state_ == State::committing) {
        const bool in_doubt = owned().size() != held_.size();
        if (was_in_doubt_ && !in_doubt) complain("a lease that was not certain is owned again");
        was_in_doubt_ = in_doubt;
    }
    // Calls state() only while the session is certain, because state() itself ends a lease that is over.
    if (state_ == State::holding && !world_.client(client_).frozen() && is_certain()) {
        const auto lost = [](const auto& core) { return core->state() == LeaseState::lost; };
        if (std::any_of(held_.begin(), held_.end(), lost)) begin_release();
    }
    if (state_ == State::releasing && *open_releases_ == 0) {
        held_.clear();
        if (downgrade_) downgrade_->got.reset();
        attempt_->got.reset();
        state_ = keeps() ? State::idle : State::done;
    }
}

std::vector<LeaseCorePtr> Contender::leases() const {
    auto all = held_;
    if (state_ == State::downgrading && downgrade_->got) all.push_back(lease_of(downgrade_).front());
    return all;
}

bool Contender::is_certain() const {
    detail::FakeClient& client = world_.client(client_);
    return client.validity_clock()->valid_at(client.boot_now());
}

std::vector<LeaseCorePtr> Contender::owned() const {
    std::vector<LeaseCorePtr> owned;
    const auto epoch = world_.client(client_).validity_clock()->epoch();
    for (const auto& core : leases()) {
        if (is_certain() && core->epoch() == epoch && core->owns()) owned.push_back(core);
    }
    return owned;
}

bool Contender::has_operation() const {
    const auto alive = [](const AttemptPtr& attempt) { return attempt && !attempt->operation.expired(); };
    return alive(attempt_) || alive(downgrade_) || alive(commit_) || *open_releases_ > 0;
}

void Contender::write(detail::TextBuilder& out) const {
    if (is_deaf()) {
        out << "done";
        return;
    }
    out << state_ << holds_had_ << cancelled << was_in_doubt_ << (downgrade_ != nullptr) << (commit_ != nullptr);
    const auto owns = owned();
    for (const auto& core : held_) {
        out << ' ' << core->path() << " czxid " << core->czxid() << " epoch " << core->epoch() << ' '
            << (std::find(owns.begin(), owns.end(), core) != owns.end());
    }
}

std::optional<std::string> Contender::peek(const PeekTerms& terms) const {
    detail::TextBuilder known;
    for (const auto& core : held_) {
        explorer::write(known, *core, terms);
        known << ' ';
    }
    if (kept_) explorer::write(known, *kept_);
    if (!has_operation()) return known.take();
    if (state_ == State::releasing) {
        known << *open_releases_;
        return known.take();
    }
    if (state_ == State::done || state_ == State::holding) { // the operation has ended, and ignores all answers
        known << "ended";
        return known.take();
    }
    const auto& present = state_ == State::downgrading ? downgrade_ : state_ == State::committing ? commit_ : attempt_;
    const auto operation = present->operation.lock();
    return operation && explorer::write(known, *operation, terms) ? std::optional(known.take()) : std::nullopt;
}

bool Contender::is_deaf() const {
    return state_ == State::done && !has_operation();
}

} // namespace docent::explorer
