// SPDX-License-Identifier: Apache-2.0
#include "worker/works.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace docent::chaos {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

std::string word(std::string text) {
    std::replace(text.begin(), text.end(), ' ', '_');
    return text;
}

constexpr auto longest_kept = 2s; // much less than `longest_left` in run.cpp: by then, no node may remain

} // namespace

LockOptions lock_options_of(const WorkerTask& task) {
    LockOptions options;
    if (task.seed % 2 == 1) options.keep_for = longest_kept;
    if (task.seed / 2 % 2 == 1) options.max_local_handovers = 3;
    return options;
}

KeptLocks::KeptLocks(Client& client, const LockOptions& options) : read_write_(client, read_write, options) {
    for (const char* path : {mutexes[0], mutexes[1], counter_lock, store_lock}) mutexes_.emplace_back(client, path, options);
}

Lane::Lane(WorkerContext& context, std::uint64_t seed)
    : context_(context), random_(seed), unchecked_(context.task.folder, Store::Tokens::ignored),
      checked_(context.task.folder, Store::Tokens::checked) {}

bool Lane::chance(double probability) {
    return std::bernoulli_distribution(probability)(random_);
}

milliseconds Lane::between(milliseconds least, milliseconds most) {
    return milliseconds{std::uniform_int_distribution<std::int64_t>(least.count(), most.count())(random_)};
}

/// Mostly short, so that other lanes get the lock, too.
milliseconds Lane::holding_time() {
    if (chance(0.8)) return between(0ms, 100ms);
    return between(0ms, (chance(0.8) ? 1 : 3) * context_.task.session_timeout);
}

void Lane::rest(milliseconds time) {
    const auto until = steady_clock::now() + time;
    while (steady_clock::now() < until && !context_.pausing) std::this_thread::sleep_for(5ms);
}

/// Some locks do not use the worker's options. They compete with its kept nodes as another process's would.
LockOptions Lane::lock_options() {
    return chance(0.8) ? context_.lock_options : LockOptions{};
}

void Lane::do_one() {
    using Use = void (Lane::*)();
    static constexpr std::array<std::pair<Use, double>, 10> uses{{{&Lane::use_mutex, 14},
                                                                  {&Lane::use_mutex_as_thread, 6},
                                                                  {&Lane::use_read_write, 19},
                                                                  {&Lane::use_read_write_as_thread, 6},
                                                                  {&Lane::use_semaphore, 12},
                                                                  {&Lane::use_semaphore_mutex, 8},
                                                                  {&Lane::use_multi_lock, 8},
                                                                  {&Lane::use_counter, 12},
                                                                  {&Lane::use_store, 8},
                                                                  {&Lane::ask_somebody, 7}}};
    std::vector<double> weights;
    for (const auto& [use, weight] : uses) weights.push_back(weight);
    const std::size_t drawn = std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random_);
    (this->*uses[drawn].first)();
}

std::int64_t Lane::ask(std::string_view what, std::string_view of) {
    const std::int64_t work = ++context_.works;
    context_.journal.add("ask " + std::to_string(work) + ' ' + std::string(what) + ' ' + std::string(of));
    return work;
}

void Lane::failed(std::int64_t work, const error_code& ec) {
    context_.journal.add("failed " + std::to_string(work) + ' ' + ec.message());
    std::this_thread::sleep_for(between(0ms, 100ms)); // an acquire may fail at once
}

template <typename Held, typename Lock> Held Lane::acquire(Lock& lock, std::int64_t work) {
    error_code ec;
    std::optional<Held> held;
    const double form = std::uniform_real_distribution<>(0, 1)(random_);
    if (form < 0.05) held = lock.try_acquire(ec);
    else if (form < 0.15) held = lock.try_acquire_for(between(0ms, 2 * context_.task.session_timeout), ec);
    else if (form < 0.2) held = lock.acquire(ec, {.timeout = between(1ms, 500ms)});
    else held = lock.acquire(ec);
    if (ec || !held) {
        failed(work, ec ? ec : make_error_code(error::not_acquired));
        return {};
    }
    return std::move(*held);
}

void record_grant(Journal& journal, std::int64_t work, const std::string& resource, const std::string& mode,
                  const Lease& lease) {
    journal.add("granted " + std::to_string(work) + ' ' + resource + ' ' + mode + ' ' + std::to_string(lease.fencing_token()) +
                ' ' + lease.node_path() + ' ' + std::to_string(lease.hold_number()));
}

void Lane::granted(std::int64_t work, const Claim& claim, const Lease& lease) {
    record_grant(context_.journal, work, claim.resource, claim.mode, lease);
}

template <typename Lock> Lease Lane::take(std::int64_t work, Lock& lock, const Claim& claim) {
    Lease lease = acquire<Lease>(lock, work);
    if (lease) granted(work, claim, lease);
    return lease;
}

void Lane::hold(Sampler::Watch& watch, const std::atomic<bool>* asked) {
    hold(watch, asked, holding_time(), chance(0.7));
}

void Lane::hold(Sampler::Watch& watch, const std::atomic<bool>* asked, milliseconds time, bool yields) {
    const auto until = steady_clock::now() + time;
    const bool clings = chance(0.6); // holds on while the client is disconnected
    const auto goes_on = [&] {
        if (context_.pausing || (asked != nullptr && *asked && yields)) return false;
        return steady_clock::now() < until || (clings && context_.client.session().state != SessionState::connected);
    };
    while (watch.still_owns() && goes_on()) std::this_thread::sleep_for(5ms);
}

void Lane::hold_while(std::int64_t work, std::function<bool()> owns) {
    Sampler::Watch watch(context_.sampler, work, std::move(owns));
    hold(watch);
}

template <typename Held> void Lane::release(std::int64_t work, Held& held) {
    error_code ec;
    if (chance(0.7)) held.release(ec);
    else held = Held(); // released in the background
    context_.journal.add("released " + std::to_string(work) + ' ' + word(ec ? ec.message() : "well"));
}

void Lane::hold_and_release(std::int64_t work, Lease lease) {
    const auto asked = std::make_shared<std::atomic<bool>>(false);
    const bool revocable = chance(0.5);
    if (revocable) {
        lease.make_revocable([asked, work, &journal = context_.journal] {
            *asked = true;
            journal.add("asked-for " + std::to_string(work));
        });
        context_.journal.add("revocable " + std::to_string(work));
    }
    {
        Sampler::Watch watch(context_.sampler, work, [&] { return lease.owns(); });
        if (revocable && chance(0.1))
            hold(watch, asked.get(), context_.task.session_timeout + 3s, true); // until a revocation request
        else hold(watch, asked.get());
    }
    release(work, lease);
}

void Lane::use_mutex() {
    const std::string path = mutexes[chance(0.5) ? 1 : 0];
    const std::int64_t work = ask("mutex", path);
    InterProcessMutex mutex(context_.client, path, lock_options());
    Lease lease = take(work, mutex, {path, "exclusive"});
    if (!lease) return;
    hold_and_release(work, std::move(lease));
}

void Lane::use_read_write() {
    const bool writes = chance(0.4);
    const std::int64_t work = ask(writes ? "write" : "read", read_write);
    InterProcessReadWriteLock lock(context_.client, read_write, lock_options());
    Lease lease = take(work, writes ? lock.write_lock() : lock.read_lock(), {read_write, writes ? "exclusive" : "shared"});
    if (!lease) return;
    if (writes && chance(0.4)) downgrade(work, std::move(lease));
    else hold_and_release(work, std::move(lease));
}

void Lane::downgrade(std::int64_t work, Lease write) {
    hold_while(work, [&] { return write.owns(); });
    const std::int64_t reading = ask("downgrade", read_write);
    error_code ec;
    Lease read = write.downgrade(ec);
    if (ec) {
        failed(reading, ec);
        release(work, write);
        return;
    }
    context_.journal.add("released " + std::to_string(work) + " downgraded");
    granted(reading, {read_write, "shared"}, read);
    hold_and_release(reading, std::move(read));
}

void Lane::use_semaphore() {
    const std::string mode = "permit:" + std::to_string(permits);
    InterProcessSemaphore lock(context_.client, semaphore, permits);
    if (chance(0.6)) {
        const std::int64_t work = ask("semaphore", semaphore);
        Lease lease = take(work, lock, {semaphore, mode});
        if (!lease) return;
        hold_and_release(work, std::move(lease));
        return;
    }
    const std::int64_t work = ask("two-permits", semaphore);
    error_code ec;
    std::vector<Lease> leases = lock.acquire(2, ec);
    if (ec) return failed(work, ec);
    for (const Lease& lease : leases) granted(work, {semaphore, mode}, lease);
    hold_while(work,
               [&] { return std::all_of(leases.begin(), leases.end(), [](const Lease& lease) { return lease.owns(); }); });
    leases.clear();
    context_.journal.add("released " + std::to_string(work) + " well");
}

void Lane::use_semaphore_mutex() {
    const std::int64_t work = ask("semaphore-mutex", semaphore_mutex);
    InterProcessSemaphoreMutex mutex(context_.client, semaphore_mutex);
    Lease lease = take(work, mutex, {semaphore_mutex, "permit:1"});
    if (!lease) return;
    hold_and_release(work, std::move(lease));
}

void Lane::use_multi_lock() {
    InterProcessMutex first(context_.client, mutexes[0]);
    InterProcessMutex second(context_.client, mutexes[1]);
    InterProcessReadWriteLock lock(context_.client, read_write);
    InterProcessSemaphore some(context_.client, semaphore, permits);
    std::vector<std::pair<LockMember, Claim>> members{{first, {mutexes[0], "exclusive"}}, {second, {mutexes[1], "exclusive"}}};
    if (chance(0.3)) members.push_back({lock.write_lock(), {read_write, "exclusive"}});
    else if (chance(0.5)) members.push_back({lock.read_lock(), {read_write, "shared"}});
    if (chance(0.3)) members.push_back({some, {semaphore, "permit:" + std::to_string(permits)}});
    std::shuffle(members.begin(), members.end(), random_);
    std::vector<LockMember> locks;
    for (const auto& [member, claim] : members) locks.push_back(member);

    const std::int64_t work = ask("multi-lock of", std::to_string(locks.size()));
    InterProcessMultiLock all(locks);
    MultiLease held = acquire<MultiLease>(all, work);
    if (!held) return;
    for (std::size_t i = 0; i < members.size(); ++i) granted(work, members[i].second, held.leases()[i]);
    hold_while(work, [&] { return held.owns(); });
    release(work, held);
}

void Lane::use_counter() {
    const std::int64_t work = ask("counter", counter_lock);
    InterProcessMutex mutex(context_.client, counter_lock, lock_options());
    Lease lease = take(work, mutex, {counter_lock, "exclusive"});
    if (!lease) return;
    {
        Sampler::Watch watch(context_.sampler, work, [&] { return lease.owns(); });
        watch.still_owns();
        for (int left = 5; left > 0 && increment(work, lease, watch); --left) {
        }
        if (chance(0.2)) hold(watch);
    }
    release(work, lease);
}

/// Only the lease guards the transaction, not the counter's version. Returns false if the work should end.
bool Lane::increment(std::int64_t work, const Lease& lease, Sampler::Watch& watch) {
    error_code ec;
    const NodeData read = context_.client.get(counter, ec);
    if (ec) {
        failed(work, ec);
        return false;
    }
    if (chance(0.2)) rest(between(0ms, context_.task.session_timeout)); // the lock may be lost meanwhile
    const std::string name = std::to_string(work);
    const std::string value = std::to_string((read.data.empty() ? 0 : std::stoll(read.data)) + 1);
    Transaction transaction;
    transaction.set_data(counter, value).guard(lease);
    if (chance(0.5)) transaction.exactly_once(markers);
    context_.journal.add("begin " + name + ' ' + value + ' ' + std::to_string(read.stat.mzxid));
    const TransactionResult result = context_.client.commit(transaction, ec);
    if (!ec) {
        context_.journal.add("committed " + name + ' ' + value + ' ' + std::to_string(result.fencing_token));
        return watch.still_owns();
    }
    const bool refused = ec == error::lease_lost || ec == error::not_connected;
    context_.journal.add((refused ? "refused " : "unknown ") + name + ' ' + value + ' ' + word(ec.message()));
    return false;
}

/// A store that no guard can protect. Sometimes a write is delayed, as in a network. Then only its token shows that it is late.
void Lane::use_store() {
    const std::int64_t work = ask("store", store_lock);
    InterProcessMutex mutex(context_.client, store_lock, lock_options());
    Lease lease = take(work, mutex, {store_lock, "exclusive"});
    if (!lease) return;
    const Work by{context_.task.name, work};
    {
        Sampler::Watch watch(context_.sampler, work, [&] { return lease.owns(); });
        const std::int64_t token = lease.fencing_token();
        const std::int64_t plain = unchecked_.read(by, token);
        const std::int64_t fenced = checked_.read(by, token);
        hold(watch);
        if (watch.still_owns()) {
            if (chance(0.1)) rest(between(0ms, 2 * context_.task.session_timeout));
            unchecked_.write(by, token, plain + 1);
            if (fenced >= 0) checked_.write(by, token, fenced + 1);
        }
    }
    release(work, lease);
}

void Lane::ask_somebody() {
    error_code ec;
    const std::string path = chance(0.5) ? mutexes[0] : read_write;
    const Children queue = context_.client.children(path, ec);
    if (ec || queue.names.empty()) return;
    const auto number = [](const std::string& name) {
        return name.substr(name.size() - std::min<std::size_t>(name.size(), 10));
    };
    const auto first = std::min_element(queue.names.begin(), queue.names.end(),
                                        [&](auto& one, auto& other) { return number(one) < number(other); });
    const std::size_t drawn = std::uniform_int_distribution<std::size_t>(0, queue.names.size() - 1)(random_);
    const std::string node = path + '/' + (chance(0.5) ? *first : queue.names[drawn]);
    if (!is_lock_node(node)) return;
    revoke(context_.client, node, ec);
    context_.journal.add("revoke " + node + ' ' + word(ec ? ec.message() : "well"));
}

} // namespace docent::chaos
