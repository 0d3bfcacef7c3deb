// SPDX-License-Identifier: Apache-2.0
#include "participant.hpp"

#include <docent/path.hpp>

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace docent::seeds {

using detail::AcquireWait;
using detail::LockRequests;

Participant::Participant(FakeWorld& world, Ledger& ledger, std::size_t client, std::vector<LockRequest> requests, int turns,
                         Habits habits)
    : Actor(world, client), ledger_(ledger), requests_(std::move(requests)), turns_(turns), habits_(habits) {
    listener_ = client_->listen([this](const SessionEvent& event) {
        if (event.state != SessionState::connected) ++broken_;
        if (event.state == SessionState::lost) ledger_.note_fault(); // a slow network may cause this
    });
}

std::string Participant::text() const {
    return name + " wants " + requests_[0].text + (requests_.size() > 1 ? ", or something else" : "");
}

void Participant::act() {
    --turns_;
    state_ = State::waiting;
    aborted_ = in_doubt_ = reads_only_ = false;
    request_ = &requests_[world_.surroundings().below(requests_.size())];
    AcquireWait wait;
    tries_ = chance(habits_.tries);
    if (tries_) wait.kind = AcquireWait::Kind::not_at_all;
    tell(name + (tries_ ? " tries " : " wants ") + request_->text);
    aborted_ = tries_;
    began_ = world_.surroundings().now;
    attempt_ = request_->start(LockRequests(world_, habits_.terms), client_index_, wait);
    look();
    if (state_ != State::waiting) return;
    if (chance(habits_.gives_up)) after(random_ms(400), [this] { abort(boost::asio::error::operation_aborted); });
    else if (chance(habits_.hurries)) after(random_ms(1000), [this] { abort(error::not_acquired); });
}

void Participant::abort(error_code why) {
    const auto& of = state_ == State::downgrading ? downgrade_ : attempt_;
    if ((state_ != State::waiting && state_ != State::downgrading) || of->completed > 0) return;
    tell(name + " waits no longer");
    aborted_ = true;
    of->abort(why);
    if (of->completed != 1) complain("did not end when it was told to");
}

bool Participant::is_certain() const {
    const auto clock = client_->validity_clock();
    return clock && clock->valid_at(client_->boot_now());
}

std::vector<LeaseCorePtr> Participant::owned() const {
    if ((held_.empty() && state_ != State::downgrading) || !is_certain()) return {};
    auto all = held_;
    if (state_ == State::downgrading && downgrade_->got) all.push_back(detail::lease_of(downgrade_).front());
    const auto epoch = client_->validity_clock()->epoch();
    const auto now = client_->boot_now();
    const auto is_up = [&](const LeaseCorePtr& core) { return core->held_until().value_or(now) <= now; };
    std::erase_if(all, [&](const LeaseCorePtr& core) { return core->epoch() != epoch || is_up(core) || !core->owns(); });
    return all;
}

bool Participant::finished() const {
    const auto over = [](const detail::AttemptPtr& attempt) { return !attempt || attempt->operation.expired(); };
    return turns_ == 0 && state_ == State::idle && over(attempt_) && over(downgrade_) && commit_.expired();
}

void Participant::look() {
    if (attempt_ && attempt_->completed > 1) complain("an acquire completed twice");
    if (downgrade_ && downgrade_->completed > 1) complain("a downgrade completed twice");
    if (state_ == State::waiting && attempt_->completed == 1) on_acquired();
    if (state_ == State::downgrading && downgrade_->completed == 1) on_downgraded();
    if (held_.empty() || state_ == State::releasing) return;
    const bool in_doubt = owned().size() != held_.size();
    if (in_doubt_ && !in_doubt) complain("a lease that was not certain is owned again");
    in_doubt_ = in_doubt;
}

/// Complains about a failure without a reason: neither this participant nor a fault caused it.
void Participant::check_failure(const error_code& ec, const std::string& of) {
    if (ec == boost::asio::error::operation_aborted || ec == error::not_acquired) {
        if (!aborted_) complain(of + " failed for no good reason: " + ec.message());
    } else if (ec == error::lock_node_deleted && !world_.was_anything_taken()) {
        complain(of + " failed though nobody had deleted anything: " + ec.message());
    } else if (!ledger_.disturbed()) {
        complain(of + " failed though nothing went wrong: " + ec.message());
    }
}

void Participant::on_acquired() {
    forget_timer();
    if (static_cast<bool>(attempt_->ec) == static_cast<bool>(attempt_->got)) complain("an acquire ended in an odd way");
    if (attempt_->ec) {
        // A try of permits also ends if its server has not answered within a second.
        const bool server_is_slow = request_->tries_end_after && tries_ && attempt_->ec == error::not_connected &&
                                    world_.surroundings().now - began_ >= *request_->tries_end_after;
        if (!server_is_slow) check_failure(attempt_->ec, "an acquire");
        tell(name + " does not get it: " + attempt_->ec.message());
        state_ = State::idle;
        return;
    }
    ++achieved;
    state_ = State::holding;
    held_ = request_->leases(attempt_);
    std::string text;
    for (const auto& core : held_) text += " " + core->path();
    tell(name + " is granted" + text);
    if (owned().size() != held_.size()) complain("the session was not certain when the lock was granted");
    after(random_ms(chance(habits_.lingers) ? 6000 : 30), [this] { go_on(); });
}

void Participant::go_on() {
    if (!reads_only_ && request_->downgrades && chance(habits_.downgrades)) return downgrade();
    if (!reads_only_ && request_->exclusive && chance(habits_.commits)) return commit();
    release();
}

void Participant::downgrade() {
    tell(name + " downgrades");
    state_ = State::downgrading;
    downgrade_ = LockRequests(world_).downgrade(attempt_);
    if (chance(habits_.gives_up)) after(random_ms(50), [this] { abort(boost::asio::error::operation_aborted); });
}

void Participant::on_downgraded() {
    forget_timer();
    state_ = State::holding;
    if (downgrade_->ec) {
        tell(name + " has not downgraded: " + downgrade_->ec.message());
        check_failure(downgrade_->ec, "a downgrade");
        return after(random_ms(30), [this] { release(); });
    }
    reads_only_ = true;
    held_ = detail::lease_of(downgrade_);
    in_doubt_ = false;
    tell(name + " has downgraded: " + held_.front()->path());
    if (attempt_->got) {
        const auto before = detail::lease_of(attempt_).front();
        if (before->state() == LeaseState::held) complain("the write lease outlived its downgrade");
    }
    after(random_ms(chance(habits_.lingers) ? 6000 : 30), [this] { release(); });
}

void Participant::commit() {
    state_ = State::committing;
    const std::string value = name + " " + std::to_string(++commits_);
    Transaction transaction;
    for (const auto& core : held_) transaction.guard(core->path());
    transaction.set_data(Ledger::path, value);
    if (chance(0.5)) transaction.exactly_once();
    ledger_.expect(value, std::string(parent_path(held_.front()->path())), held_.front()->fencing_token());
    tell(name + " commits \"" + value + '"');
    const auto operation = std::make_shared<detail::TransactionOperation>(
        client_, std::move(transaction),
        [this, value](const error_code& ec, const TransactionResult& result) { on_committed(ec, result, value); });
    commit_ = operation;
    operation->begin();
}

void Participant::on_committed(const error_code& ec, const TransactionResult& result, const std::string& value) {
    if (state_ != State::committing) return complain("a transaction completed twice");
    tell(name + " hears of \"" + value + "\": " + (ec ? ec.message() : result.recovered ? "found" : "applied"));
    if (ec) check_failure(ec, "a transaction");
    const bool never = ec == error::lease_lost || ec == error::not_connected;
    ledger_.told(value, !ec ? Ledger::Told::applied : never ? Ledger::Told::not_applied : Ledger::Told::nothing);
    state_ = State::holding;
    after(random_ms(20), [this] { go_on(); });
}

void Participant::release() {
    state_ = State::releasing;
    if (chance(habits_.drops)) {
        tell(name + " lets go");
        held_.clear();
        if (downgrade_) downgrade_->got.reset();
        attempt_->got.reset();
        state_ = State::idle;
        return;
    }
    tell(name + " releases");
    unanswered_at_release_ = client_->session().state == SessionState::connected ? unanswered() : 0;
    open_releases_ = held_.size();
    for (const auto& core : std::vector(held_)) {
        core->release(*core->view(), [this, path = core->path()](const error_code& ec) { on_released(ec, path); });
    }
}

void Participant::on_released(const error_code& ec, const std::string& path) {
    if (open_releases_ == 0) return complain("a release completed twice");
    const bool there = world_.surroundings().ensemble.truth().find(path) != nullptr;
    const bool may_stay = detail::LocalQueue::is_wanted(habits_.terms); // the next hold of the process may use it
    if (!ec && there && !may_stay && unanswered_at_release_ == unanswered())
        complain("a release ended, and " + path + " is still there");
    if (--open_releases_ > 0) return;
    held_.clear();
    if (downgrade_) downgrade_->got.reset();
    attempt_->got.reset();
    state_ = State::idle;
}

} // namespace docent::seeds
