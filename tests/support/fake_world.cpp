// SPDX-License-Identifier: Apache-2.0
#include "fake_world.hpp"

#include "queue/contender.hpp"

#include <docent/path.hpp>

#include <algorithm>

namespace docent::detail {

FakeWorld::FakeWorld(std::uint64_t seed, int clients, std::string lock_path, QueueNames names)
    : shared_(seed), queues_{{std::move(lock_path), std::move(names)}} {
    for (int n = 0; n < clients; ++n) clients_.push_back(std::make_shared<FakeClient>(shared_, n));
    shared_.ensemble.on_change = [this](std::size_t server, const TreeChange& change) {
        for (const auto& client : clients_) client->on_change(server, change);
    };
    shared_.ensemble.on_session_end = [this](std::size_t server, std::int64_t session) {
        for (const auto& client : clients_) client->on_session_end(server, session);
    };
    shared_.ensemble.on_commit = [this] { on_commit(); };
}

FakeWorld::~FakeWorld() {
    for (const auto& client : clients_) client->abandon();
}

const FakeWorld::Queue& FakeWorld::queue_at(const std::string& path) const {
    return *std::find_if(queues_.begin(), queues_.end(), [&](const Queue& queue) { return queue.path == path; });
}

std::vector<std::string> FakeWorld::queue(const std::string& path) const {
    std::vector<std::string> paths;
    for (const auto& contender : sorted_queue(queue_at(path).names, shared_.ensemble.truth().children(path))) {
        paths.push_back(join_path(path, contender.name));
    }
    return paths;
}

std::string FakeWorld::first(const std::string& lock_path) const {
    for (const auto& contender : sorted_queue(queue_at(lock_path).names, shared_.ensemble.truth().children(lock_path))) {
        if (is_usable(contender.sequence)) return join_path(lock_path, contender.name);
    }
    return {};
}

std::vector<std::string> FakeWorld::nodes() const {
    std::vector<std::string> all;
    for (const Queue& each : queues_) {
        for (auto& path : queue(each.path)) all.push_back(std::move(path));
    }
    return all;
}

void FakeWorld::on_commit() {
    for (const Queue& queue : queues_) {
        if (auto path = first(queue.path); !path.empty()) ever_first_.insert(std::move(path));
    }
    std::set<std::string> guids;
    for (const auto& path : nodes()) {
        const auto guid = path.substr(0, path.find('-', path.rfind("_c_")));
        if (!guids.insert(guid).second) twins_.insert(guid);
    }
}

void FakeWorld::look_what_is_possible() {
    using enum FakeStep::Kind;
    possible_.clear();
    for (std::size_t n = 0; n < clients_.size(); ++n) {
        const FakeClient& c = *clients_[n];
        const auto offer = [&](bool can, FakeStep::Kind kind) {
            if (can) possible_.push_back({kind, n});
        };
        offer(c.can_run_posted(), run_posted);
        offer(c.can_serve(), serve);
        offer(c.can_deliver(), deliver);
        offer(c.can_fire_timer(), fire_timer);
        offer(c.can_beat(), beat);
        offer(c.can_pass_bound(), pass_bound);
        offer(c.can_notice_cut(), notice_cut);
        offer(c.can_connect(), connect);
        offer(c.can_apply_stray(), apply_stray);
    }
    auto& ensemble = shared_.ensemble;
    for (std::size_t server = 0; server < FakeEnsemble::server_count; ++server) {
        if (ensemble.lags(server)) possible_.push_back({learn, server});
    }
    ensemble.ping_until(FakeEnsemble::Time{shared_.now});
    for (const auto& [session, heard] : ensemble.sessions()) {
        if (ensemble.expiry(session).time_since_epoch() <= shared_.now) possible_.push_back({expire, 0, session});
    }
    for (std::size_t n = 0; n < actors_.size(); ++n) {
        if (actors_[n]->ready()) possible_.push_back({act, n});
    }
}

FakeStep FakeWorld::any_possible() {
    constexpr int patience = 4; // after that, slow steps have a turn, too
    for (int n = 0;; ++n) {
        const FakeStep step = possible_[shared_.below(possible_.size())];
        if (n == patience || std::find(slow.begin(), slow.end(), step) == slow.end()) return step;
    }
}

void FakeWorld::make(const FakeStep& step) {
    using enum FakeStep::Kind;
    switch (step.kind) {
    case run_posted: return clients_[step.who]->run_posted();
    case serve: return clients_[step.who]->serve();
    case deliver: return clients_[step.who]->deliver();
    case fire_timer: return clients_[step.who]->fire_timer();
    case beat: return clients_[step.who]->beat();
    case pass_bound: return clients_[step.who]->pass_bound();
    case notice_cut: return clients_[step.who]->break_link();
    case connect: return clients_[step.who]->connect();
    case apply_stray: return clients_[step.who]->apply_stray();
    case learn: return shared_.ensemble.learn_one(step.who);
    case expire: return shared_.ensemble.end_session(step.session);
    case act: return actors_[step.who]->act();
    }
}

bool FakeWorld::step() {
    shared_.handlers.restart();
    if (shared_.handlers.poll() > 0) return true;
    if (fault_rate > 0 && shared_.chance(fault_rate)) {
        // Leaves out lose_event and the faults behind it: a waiter may then not hear of the loss of its node, and only the
        // observers of tests/seeds know of this.
        inflict(static_cast<Fault>(shared_.below(static_cast<std::size_t>(Fault::lose_event))));
    }
    look_what_is_possible();
    if (possible_.empty()) {
        const auto before = shared_.now;
        advance();
        return shared_.now != before;
    }
    shared_.now += std::chrono::microseconds{shared_.below(static_cast<std::size_t>(longest_step.count()) * 1000)};
    const FakeStep chosen = any_possible();
    if (on_step) on_step(chosen);
    make(chosen);
    return true;
}

void FakeWorld::advance() {
    std::optional<std::chrono::nanoseconds> next;
    const auto consider = [&](std::chrono::nanoseconds time) {
        if (!next || time < *next) next = time;
    };
    for (const auto& client : clients_) {
        if (const auto time = client->next_time()) consider(*time);
    }
    if (const auto back = shared_.ensemble.quorum_from().time_since_epoch(); back > shared_.now) consider(back);
    for (const auto& [session, heard] : shared_.ensemble.sessions()) {
        consider(shared_.ensemble.expiry(session).time_since_epoch());
    }
    if (next) shared_.now = std::max(shared_.now, *next);
}

bool FakeWorld::run_until(const std::function<bool()>& done, int limit) {
    for (int n = 0; n < limit; ++n) {
        if (done()) return true;
        if (!step()) return done();
    }
    return done();
}

void FakeWorld::inflict(Fault fault) {
    inflict(fault, shared_.below(clients_.size()));
}

void FakeWorld::inflict(Fault fault, std::size_t client) {
    using std::chrono::milliseconds;
    FakeClient& victim = *clients_[client];
    const auto paths = nodes();
    switch (fault) {
    case Fault::break_link:
        if (victim.linked()) victim.break_link();
        return;
    case Fault::cut_link: return victim.cut_link();
    case Fault::freeze: return victim.freeze(milliseconds{shared_.below(6000)});
    case Fault::end_session: {
        const auto session = victim.session().session_id;
        if (!shared_.ensemble.alive(session)) return;
        for (const auto& path : paths) {
            if (shared_.ensemble.truth().find(path)->stat.ephemeral_owner != session) continue;
            taken_.insert(path);
        }
        return shared_.ensemble.end_session(session);
    }
    case Fault::delete_node: {
        if (paths.empty()) return;
        const auto& path = paths[shared_.below(paths.size())];
        taken_.insert(path);
        return shared_.ensemble.delete_node(path);
    }
    case Fault::change_node:
        if (!paths.empty()) shared_.ensemble.change_node(paths[shared_.below(paths.size())]);
        return;
    case Fault::reap: return shared_.ensemble.reap_empty_containers();
    case Fault::throttle: victim.throttle_next = true; return;
    case Fault::lose_quorum:
        shared_.ensemble.lose_quorum_until(FakeEnsemble::Time{shared_.now + milliseconds{shared_.below(6000)}});
        for (const auto& each : clients_) each->on_no_quorum();
        return;
    case Fault::lose_event: victim.lose_next_event = true; return;
    case Fault::hide_node: {
        if (paths.empty()) return;
        const auto& path = paths[shared_.below(paths.size())];
        if (shared_.ensemble.truth().find(path)->acl) return shared_.ensemble.set_acl(path, open_acl());
        return shared_.ensemble.hide_node(path);
    }
    case Fault::count: return;
    }
}

void FakeWorld::go_back_to(const FakeEnsemble::Past& past) {
    shared_.ensemble.go_back_to(past, FakeEnsemble::Time{shared_.now});
    for (const auto& each : clients_) each->on_no_quorum();
    on_commit();
}

bool FakeWorld::all_idle() const {
    return std::all_of(clients_.begin(), clients_.end(), [](const auto& client) { return client->idle(); });
}

} // namespace docent::detail
