// SPDX-License-Identifier: Apache-2.0

// Locks that belong to a thread. The thread may enter them more than once.

#include "worker/works.hpp"

namespace docent::chaos {

using namespace std::chrono_literals;

namespace {

constexpr int most_levels = 3;

bool enter_in_some_form(InterProcessMutex& lock, double form, std::chrono::milliseconds patience) {
    if (form < 0.05) return lock.try_lock();
    if (form < 0.2) return lock.try_lock_for(patience);
    lock.lock();
    return true;
}

/// Returns the error; none: the thread has entered again.
error_code try_again(InterProcessMutex& lock) {
    try {
        lock.lock();
        return {};
    } catch (const boost::system::system_error& failure) {
        return failure.code();
    }
}

} // namespace

void Lane::broken(std::int64_t work, const std::string& what) {
    context_.journal.add("broken " + std::to_string(work) + ' ' + what);
}

bool Lane::enter(std::int64_t work, InterProcessMutex& lock) {
    try {
        const double form = std::uniform_real_distribution<>(0, 1)(random_);
        if (enter_in_some_form(lock, form, between(0ms, 2 * context_.task.session_timeout))) return true;
        failed(work, make_error_code(error::not_acquired));
    } catch (const boost::system::system_error& failure) {
        failed(work, failure.code());
    }
    return false;
}

/// Leaves one level. A thread that is inside may always leave, even if the lock was lost.
void Lane::leave(std::int64_t work, InterProcessMutex& lock) {
    try {
        lock.unlock();
    } catch (const boost::system::system_error& failure) {
        broken(work, "a thread that is in cannot leave: " + failure.code().message());
    }
}

/// `inner`: another lock that the same thread may enter; may be null.
void Lane::hold_as_thread(std::int64_t work, const Claim& claim, InterProcessMutex& lock, InterProcessMutex* inner) {
    const std::int64_t token = lock.fencing_token();
    context_.journal.add("granted " + std::to_string(work) + ' ' + claim.resource + ' ' + claim.mode + ' ' +
                         std::to_string(token) + " -");
    int levels = 1;
    {
        const auto owns = [&] { return lock.is_owned_by_current_thread(); };
        Sampler::Watch watch(context_.sampler, work, owns, Sampler::Watch::Asked::by_its_owner);
        watch.still_owns();
        for (; levels < most_levels && chance(0.4); ++levels) {
            const error_code ec = try_again(lock);
            if (ec && ec != error::lease_lost) broken(work, "a thread that is in cannot enter again: " + ec.message());
            if (ec) break;
            if (lock.fencing_token() != token) broken(work, "another token for the same hold");
        }
        hold(watch);
        if (inner != nullptr && chance(0.4) && !try_again(*inner)) {
            watch.still_owns();
            leave(work, *inner);
        }
        for (; levels > 1; --levels) {
            leave(work, lock);
            watch.still_owns();
        }
    }
    leave(work, lock);
    context_.journal.add("released " + std::to_string(work) + " well");
}

void Lane::use_mutex_as_thread() {
    const std::string path = mutexes[chance(0.5) ? 1 : 0];
    const std::int64_t work = ask("mutex-of-thread", path);
    InterProcessMutex mutex(context_.client, path, lock_options());
    if (enter(work, mutex)) hold_as_thread(work, {path, "exclusive"}, mutex, nullptr);
}

void Lane::use_read_write_as_thread() {
    const bool writes = chance(0.4);
    const std::int64_t work = ask(writes ? "write-of-thread" : "read-of-thread", read_write);
    InterProcessReadWriteLock lock(context_.client, read_write, lock_options());
    InterProcessMutex& side = writes ? lock.write_lock() : lock.read_lock();
    if (!enter(work, side)) return;
    hold_as_thread(work, {read_write, writes ? "exclusive" : "shared"}, side, writes ? &lock.read_lock() : nullptr);
}

} // namespace docent::chaos
