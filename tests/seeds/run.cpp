// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <utility>

namespace docent::seeds {
namespace {

using detail::FakeEnsemble;
using detail::FakeStep;
using std::chrono::milliseconds;

constexpr milliseconds short_step{3};
constexpr std::uint64_t steps_after_healing = 60'000; // no contender waits longer than that

std::string name_of(std::size_t client) {
    return std::string("client ") + static_cast<char>('a' + client);
}

const char* name_of(FakeWorld::Fault fault) {
    using enum FakeWorld::Fault;
    switch (fault) {
    case break_link: return "its connection breaks";
    case cut_link: return "its connection swallows everything";
    case freeze: return "its process stands still";
    case end_session: return "an administrator ends its session";
    case delete_node: return "an administrator removes a node";
    case change_node: return "somebody changes a node";
    case reap: return "empty containers are reaped";
    case throttle: return "its server is too busy for its next request";
    case lose_quorum: return "the servers lose their quorum";
    case lose_event: return "the next event for it gets lost";
    case hide_node: return "an administrator hides a node from all, or shows it again";
    case count: break;
    }
    return "";
}

} // namespace

Run::Run(std::uint64_t seed, std::ostream* story)
    : story_(story), setting_(setting_of(seed)), clients_(2 + seed / lock_count % 4),
      world_(seed, static_cast<int>(clients_), setting_.queues.front().first, setting_.queues.front().second),
      referee_(world_.surroundings().ensemble.truth(), setting_.limits), ledger_(world_.surroundings().ensemble.truth()) {
    for (std::size_t n = 1; n < setting_.queues.size(); ++n)
        world_.add_queue(setting_.queues[n].first, setting_.queues[n].second);
    world_.surroundings().ensemble.number_next_child(Ledger::path, 0);
    for (std::size_t n = 0; n < clients_; ++n) world_.client(n).set_heartbeats(setting_.heartbeats);
    if (setting_.workload == Workload::none) {
        share_locks();
        draw_participants();
    } else {
        actors_ = settle(world_, setting_.workload, clients_);
    }
    for (const auto& one : actors_) one->tell = [this](const std::string& text) { tell(text); };
    for (const auto* one : contenders_) tell(one->text());
    draw_trouble();
    if (story_ != nullptr) world_.on_step = [this](const FakeStep& step) { tell_of(step); };
}

/// Each process has its locks as long as it lives, as a service does. So it keeps nodes between its holds.
void Run::share_locks() {
    if (!detail::LocalQueue::is_wanted(setting_.terms)) return;
    for (std::size_t n = 0; n < clients_; ++n) {
        const auto boot_now = [client = world_.share(n)] { return client->boot_now(); };
        for (const auto& [path, names] : setting_.queues) {
            const auto both = detail::make_read_write(world_.share(n), path, boot_now, setting_.terms);
            shared_.push_back(std::make_shared<detail::MutexCore>(world_.share(n), path, boot_now, setting_.terms));
            shared_.push_back(both.write);
            shared_.push_back(both.read);
        }
    }
    for (const auto& core : shared_) core->local();
}

void Run::draw_participants() {
    const auto count = std::max<std::size_t>(3, clients_ + below(4));
    for (std::size_t n = 0; n < count; ++n) {
        std::vector<detail::LockRequest> requests;
        for (std::size_t i = 0; i < setting_.requests_each; ++i)
            requests.push_back(setting_.requests[below(setting_.requests.size())]);
        const Habits habits{.gives_up = one_in(2) ? up_to(0.4) : 0,
                            .hurries = one_in(2) ? up_to(0.3) : 0,
                            .tries = one_in(2) ? up_to(0.3) : 0,
                            .lingers = one_in(2) ? up_to(0.3) : 0,
                            .downgrades = up_to(1),
                            .commits = setting_.commits,
                            .drops = up_to(1),
                            .terms = setting_.terms};
        const auto client = n < clients_ ? n : below(clients_);
        auto one =
            std::make_unique<Participant>(world_, ledger_, client, std::move(requests), 1 + static_cast<int>(below(3)), habits);
        one->name = "contender " + std::to_string(n + 1) + " (" + name_of(client) + ")";
        contenders_.push_back(one.get());
        actors_.push_back(std::move(one));
    }
}

void Run::draw_trouble() {
    constexpr std::array<int, 5> paces{3, 3, 10, 40, 150};
    world_.longest_step = milliseconds{paces[below(paces.size())]};
    if (world_.longest_step > milliseconds{10}) ledger_.note_fault();     // sessions may expire without a fault
    if (setting_.heartbeats == Heartbeats::relaxed) ledger_.note_fault(); // also if answers are a little late
    if (setting_.terms.max_hold) ledger_.note_fault();                    // and holds may end
    trouble_ = one_in(16) ? 0 : 0.002 + up_to(0.03);
    if (one_in(2)) favourite_ = static_cast<Fault>(below(static_cast<std::size_t>(Fault::count)));
    using enum FakeStep::Kind;
    constexpr std::array<FakeStep::Kind, 6> kinds{serve, deliver, run_posted, connect, fire_timer, pass_bound};
    for (std::size_t n = below(4); n > 0; --n) world_.slow.push_back({kinds[below(kinds.size())], below(clients_)});
    for (std::size_t n = below(3); n > 0; --n) world_.slow.push_back({learn, below(FakeEnsemble::server_count)});
}

// ---- the run

std::string Run::run() {
    const std::uint64_t troubled = 200 + below(400);
    while (figures_.steps < troubled && complaint_.empty() && !finished() && step()) perhaps_go_wrong();
    tell("from now on nothing goes wrong any more");
    world_.longest_step = short_step;
    world_.slow.clear();
    for (const auto& one : actors_) one->calm_down();
    for (const auto end = figures_.steps + steps_after_healing; complaint_.empty() && !(finished() && is_quiet());) {
        if (finished() && nothing_is_under_way()) shared_.clear(); // nodes are not kept any longer
        if (!step() || figures_.steps > end) complain(left_behind());
    }
    if (complaint_.empty()) complain(left_behind());
    if (!complaint_.empty()) tell("WRONG: " + complaint_);
    return complaint_;
}

bool Run::step() {
    ++figures_.steps;
    const bool goes_on = world_.step();
    observe();
    return goes_on;
}

void Run::perhaps_go_wrong() {
    if (again_in_ > 0) {
        if (--again_in_ > 0) return;
    } else {
        if (!world_.surroundings().chance(trouble_)) return;
        victim_ = below(clients_);
    }
    const bool as_usual = favourite_ != Fault::count && one_in(2);
    inflict(as_usual ? favourite_ : static_cast<Fault>(below(static_cast<std::size_t>(Fault::count))));
    if (one_in(3)) again_in_ = 1 + below(12);
}

void Run::inflict(Fault fault) {
    tell("FAULT, " + name_of(victim_) + ": " + name_of(fault));
    ++figures_.faults;
    ledger_.note_fault();
    if (fault == Fault::lose_event || fault == Fault::hide_node) referee_.note_lost_events();
    const auto nodes = world_.nodes();
    world_.inflict(fault, victim_);
    for (const auto& path : nodes) {
        if (world_.was_taken(path)) referee_.note_taken(path);
    }
    observe();
}

void Run::observe() {
    referee_.look();
    ledger_.look();
    complain(ledger_.complaint());
    for (const auto& one : actors_) {
        one->look();
        if (!one->complaints.empty()) complain(one->complaints.front());
    }
    std::vector<LeaseCorePtr> owned;
    for (const auto* one : contenders_) {
        for (auto& lease : one->owned()) owned.push_back(std::move(lease));
    }
    if (!owned.empty()) complain(referee_.judge(owned));
    if (!world_.twins().empty()) complain("a create was applied twice: " + *world_.twins().begin());
}

bool Run::finished() const {
    return std::all_of(actors_.begin(), actors_.end(), [](const auto& one) { return one->finished(); });
}

bool Run::nothing_is_under_way() {
    for (std::size_t n = 0; n < clients_; ++n) {
        if (!world_.client(n).idle() || !world_.client(n).hears()) return false;
    }
    return true;
}

/// Nothing is under way, all servers are up to date, and no node is left. If events get lost, a client learns only by a look
/// that the node that it keeps is gone. Until then it waits for an event.
bool Run::is_quiet() {
    for (std::size_t n = 0; referee_.events_get_lost() && n < clients_; ++n) {
        if (world_.client(n).live_sinks() != 0) return false;
    }
    const auto& ensemble = world_.surroundings().ensemble;
    for (std::size_t server = 0; server < FakeEnsemble::server_count; ++server) {
        if (ensemble.lags(server)) return false;
    }
    if (!nothing_is_under_way()) return false;
    const auto paths = ensemble.truth().paths();
    return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) { return may_stay(path); });
}

/// The node has no owner, or is a marker that a living client keeps for its next transaction.
bool Run::may_stay(const std::string& path) {
    if (world_.surroundings().ensemble.truth().find(path)->stat.ephemeral_owner == 0) return true;
    for (std::size_t n = 0; n < clients_; ++n) {
        if (world_.client(n).keeps_marker(path)) return true;
    }
    return false;
}

/// Returns the violation at the end: a contender that waits for ever, or anything that remains.
std::string Run::left_behind() {
    for (const auto& one : actors_) {
        if (!one->finished()) return one->name + " waits for ever";
    }
    auto& ensemble = world_.surroundings().ensemble;
    for (const auto& path : ensemble.truth().paths()) {
        if (!may_stay(path)) return path + " is left behind";
    }
    for (std::size_t n = 0; n < clients_; ++n) {
        if (!world_.client(n).idle()) return name_of(n) + " does not come to rest";
        // Watches on lists may remain, if permits, kept nodes or recipes without locks set them: the fake client cannot remove
        // a watch.
        const bool keeps = detail::LocalQueue::is_wanted(setting_.terms);
        const bool takes_back_all = setting_.limits.empty() && !keeps && setting_.workload == Workload::none;
        if (takes_back_all && world_.client(n).watches() != 0) return name_of(n) + " has left a watch on the server";
        if (world_.client(n).live_sinks() != 0) return "somebody waits for a watch of " + name_of(n);
    }
    return {};
}

Figures Run::figures() const {
    Figures all = figures_;
    all.entries = ledger_.entries();
    for (const auto& one : actors_) all.grants += static_cast<std::uint64_t>(one->achieved);
    return all;
}

// ---- the story

void Run::tell(const std::string& text) {
    if (story_ == nullptr) return;
    const auto since = std::chrono::duration<double>(world_.surroundings().now - std::chrono::seconds{1000});
    *story_ << std::setw(6) << figures_.steps << std::fixed << std::setprecision(3) << std::setw(9) << since.count() << " s  "
            << text << '\n';
}

void Run::tell_of(const FakeStep& step) {
    using enum FakeStep::Kind;
    if (step.kind == run_posted || step.kind == act) return; // the actors report these steps themselves
    if (step.kind == learn) return tell("server " + std::to_string(step.who + 1) + " learns one change");
    if (step.kind == expire) return tell("the leader ends session " + std::to_string(step.session));
    auto& client = world_.client(step.who);
    const auto text = [&]() -> std::string {
        switch (step.kind) {
        case serve: return "server " + std::to_string(*client.server() + 1) + " does: " + client.next_request();
        case deliver: return "hears: " + client.next_arrival();
        case fire_timer: return "a pause is over";
        case beat: return "sends a heartbeat";
        case pass_bound: return "takes its session for lost";
        case notice_cut: return "gives its silent server up";
        case connect: return "connects";
        case apply_stray: return "what it sent before the break reaches the leader";
        default: return "";
        }
    };
    tell(name_of(step.who) + ": " + text());
}

} // namespace docent::seeds
