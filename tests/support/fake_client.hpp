// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client in memory: ClientView's contract, kept over a connection to a FakeEnsemble that a FakeWorld drives step by step.

#include "client/core/operation.hpp"
#include "client/core/removals/ghosts.hpp"
#include "client/core/removals/removals.hpp"
#include "client/transaction/marker_pool.hpp"
#include "fake_ensemble.hpp"
#include "session/certainty.hpp"
#include "zk/watch_look.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

class TextBuilder;

/// What all clients of one test share.
struct FakeSurroundings {
    explicit FakeSurroundings(std::uint64_t seed) : random(seed) {}

    bool chance(double probability) { return choose ? choose(2) == 1 : std::bernoulli_distribution(probability)(random); }
    std::size_t below(std::size_t bound) {
        if (choose) return bound < 2 ? 0 : choose(bound);
        return bound == 0 ? 0 : random() % bound;
    }

    FakeEnsemble ensemble;
    std::mt19937_64 random;
    /// Decides instead of chance, if there is one: a number below the given one, of which any may be.
    std::function<std::size_t(std::size_t)> choose;
    std::chrono::nanoseconds now = std::chrono::seconds{1000};
    asio::io_context handlers; // where operations complete
};

class FakeClient final : public ClientView {
public:
    using Time = FakeEnsemble::Time;

    FakeClient(FakeSurroundings& world, int number);

    // ---- ClientView
    asio::any_io_executor executor() const override { return world_.handlers.get_executor(); }
    void call_user(std::function<void()> function) noexcept override { post(std::move(function)); }
    bool running_in_this_thread() const override { return false; }
    void post(std::function<void()> function) override { posted_.push_back({acting_, std::move(function)}); }
    void submit(zk::Request request, zk::ReplyHandler handler) override;
    SessionEvent session() const override { return event_; }
    std::shared_ptr<session::SessionClock> session_clock() const override { return clock_; }
    Registration listen(std::function<void(const SessionEvent&)> listener) override;
    Registration call_at(steady_clock::time_point when, std::function<void()> function) override;
    steady_clock::time_point now() const override { return steady_clock::time_point{own_now()}; }
    void remove_in_background(RemovalOrder order, std::function<void()> done) override;
    void keep_alive(std::weak_ptr<KeptAlive> object) override;
    std::string new_guid() override { return "plain" + new_marked_guid(); }
    std::string new_marked_guid() override { return name_ + std::to_string(++guids_); }
    void on_node_gone(const std::string& path) override { ghosts_.on_gone(path); }
    void on_guid_gone(const std::string& path, const std::string& guid) override { ghosts_.on_guid_gone(path, guid); }
    std::uint64_t random() override { return world_.choose ? 0 : world_.random(); } // for pauses only
    const RetryPolicy& retry_policy() const override { return retry_policy_; }
    std::chrono::milliseconds connection_timeout() const override { return std::chrono::seconds{15}; }
    const std::string& default_data() const override { return default_data_; }
    const ClientConfig& config() const override { return config_; }
    SharedObjects& shared_objects() override { return shared_objects_; }

    void set_tracer(std::shared_ptr<Tracer> tracer) { config_.tracer = std::move(tracer); } // before all else

    // ---- steps, each when it can be made
    bool can_run_posted() const { return awake() && !posted_.empty(); }
    void run_posted();
    bool can_serve() const {
        return link_ && !link_->cut && !link_->hung_up && !link_->requests.empty() && world_.ensemble.quorum(boot_now());
    }
    void serve(); // the server answers the oldest request
    bool can_deliver() const { return awake() && link_ && !link_->cut && !link_->arriving.empty(); }
    void deliver(); // the oldest reply or event arrives
    bool can_fire_timer() const;
    void fire_timer();
    bool can_beat() const { return awake() && link_ && own_now() >= next_beat_; }
    void beat();
    bool can_pass_bound() const;
    void pass_bound();
    bool can_notice_cut() const { return awake() && link_ && link_->cut && own_now() >= *link_->cut; }
    bool can_connect() const { return awake() && !link_ && !closed_ && !unreachable && world_.ensemble.quorum(boot_now()); }
    void connect();
    void connect(std::size_t server);
    bool can_apply_stray() const { return !strays_.empty() && world_.ensemble.quorum(boot_now()); }
    void apply_stray();                                        // a write of a broken connection reaches the leader after all
    std::optional<std::chrono::nanoseconds> next_time() const; // when something will be possible that is not yet

    // ---- faults
    /// The event that would be the next to arrive gets lost. Then a look is due, whatever time it is.
    bool next_is_event() const { return can_deliver() && link_->arriving.front().event; }
    void lose_event();
    bool has_lost_event() const { return event_lost_; }
    enum class Looks { due, all };
    void look_again(Looks looks); // at the nodes of which it awaits events
    bool linked() const { return link_.has_value(); }
    bool hears() const { return awake() && link_ && !link_->cut; } // what its server says
    /// How it ends for the client. `reached`: so many requests that were not answered may still reach the leader.
    struct Breakage {
        bool told_first = true; // of the break, and then of the replies that are lost
        error_code ec = server_error::connection_loss;
        std::size_t reached = 0;
    };
    void break_link(); // as chance has it
    void break_link(const Breakage& breakage);
    void cut_link(); // nothing goes through any more, and nobody has noticed yet
    void freeze(std::chrono::nanoseconds length) { frozen_until_ = own_now() + length; }
    void wake() { frozen_until_ = {}; }
    /// For this client alone: to the others, no time has passed.
    void let_pass(std::chrono::nanoseconds length) { ahead_ += length; }
    void close();
    void abandon(); // the test is over: whoever is called back later never will be

    // ---- what the ensemble tells the client's server
    void on_change(std::size_t server, const FakeChange& change);
    void on_session_end(std::size_t server, std::int64_t session);
    void on_no_quorum();

    Time boot_now() const { return Time{own_now()}; }
    std::uint64_t requests_sent() const { return requests_sent_; }
    std::uint64_t requests_throttled() const { return requests_throttled_; }
    bool idle() const; // nothing is under way
    std::size_t open_removals() const { return removals_.open(); }

    // ---- who of those who share it is at work; 0: itself, or any of them. Whatever is asked for meanwhile is theirs, and so
    // is the answer.
    using Owner = std::size_t;
    static constexpr Owner for_all = 0;
    template <typename Function> void ask_for(Owner owner, Function&& function) {
        const Owner before = std::exchange(acting_, owner);
        function();
        acting_ = before;
    }
    /// As an answer to it, or as news.
    template <typename Function> void work_for(Owner owner, Function&& function) {
        told_.insert(owner);
        ask_for(owner, function);
    }
    /// Whoever was at work since this was last asked.
    std::set<Owner> take_told() { return std::exchange(told_, {}); }

    // ---- for who decides about every step; the texts are in observers/fake_client_picture.cpp
    bool frozen() const { return !awake(); }
    bool awaits_replies() const { return link_ && std::any_of(link_->arriving.begin(), link_->arriving.end(), is_reply); }
    bool has_requests() const { return link_ && !link_->requests.empty(); }
    /// One of them may change something on the servers.
    bool has_effective_requests() const {
        return link_ && std::any_of(link_->requests.begin(), link_->requests.end(),
                                    [this](const Call& call) { return is_effective(call); });
    }
    bool next_is_effective() const { return has_requests() && is_effective(link_->requests.front()); }
    std::size_t watches() const { return link_ ? link_->watches.size() : 0; }
    std::size_t live_sinks() const;
    std::optional<std::size_t> server() const { return link_ ? std::optional(link_->server) : std::nullopt; }
    std::optional<std::chrono::nanoseconds> next_timer(); // how long until then; 0: it is time
    std::string next_request() const;                     // as text; empty if there is none
    std::string next_arrival() const;
    struct PictureTerms {
        bool hears_nothing = false;       // by this connection, which will break
        bool whole = true;                // with what will come to nothing, too
        bool keeps_nodes = false;         // nobody else removes its nodes: watches on them are left out,
        std::set<const void*> awaiting{}; // but for these
        std::vector<std::string> lines{}; // of lists of these, names behind all of its own are left out
    };
    /// All that can be seen of it from outside.
    void write_picture(TextBuilder& out, const PictureTerms& terms) const;
    /// For who asks for nothing any more that the leader's server does not do, and is not told of anything.
    void move_to_leader() { link_->server = 0; }
    /// For who has a connection, and will keep it: watches of which nobody is told, nor will be when it has heard all.
    void forget_unheeded_watches();
    /// A node of its present session, by the mark in its name.
    bool has_node(const std::string& path) const;
    /// A marker that waits for the next transaction.
    bool keeps_marker(const std::string& path) const { return kept<MarkerPool>().is_idle(path); }

    /// The next request is refused, as an overloaded server does.
    bool throttle_next = false;
    /// The next event that its server has for it gets lost, with the watch: by a fault of the server, or on the way.
    bool lose_next_event = false;
    /// No server can be reached.
    bool unreachable = false;

private:
    struct Call {
        zk::Request request;
        zk::ReplyHandler handler;
        Time sent;
        Owner owner;
        std::uint64_t number; // of all its requests
    };
    struct Arriving {
        std::optional<Call> call; // none: a watch event, or the end of the connection
        zk::Reply reply;
        std::optional<WatchEvent> event;
        std::int64_t zxid = 0;
    };
    enum class WatchKind { data, exists, absent, children }; // absent: exists, and did not find it
    static constexpr std::array all_kinds{WatchKind::data, WatchKind::exists, WatchKind::absent, WatchKind::children};
    static zk::WatchKind as_asked(WatchKind kind) {
        if (kind == WatchKind::children) return zk::WatchKind::children;
        return kind == WatchKind::data ? zk::WatchKind::data : zk::WatchKind::exists;
    }
    using WatchKey = std::pair<std::string, WatchKind>;
    struct Link {
        std::size_t server = 0;
        std::deque<Call> requests;
        std::deque<Arriving> arriving;
        std::set<WatchKey> watches;                  // on the server
        std::optional<std::chrono::nanoseconds> cut; // when the client notices
        bool hung_up = false;                        // by the server: the last thing to arrive says so
    };
    struct Timer {
        Owner owner;
        std::function<void()> function;
    };
    struct Posted {
        Owner owner;
        std::function<void()> function;
    };
    template <typename T> struct Owned {
        Owner owner;
        std::weak_ptr<T> weak;
    };
    using Sink = Owned<zk::WatchSink::element_type>;
    using Listener = std::function<void(const SessionEvent&)>;

    bool is_effective(const Call& call) const {
        const bool catches_up = std::holds_alternative<zk::SyncRequest>(call.request); // the leader's server has
        return zk::passes_leader(call.request) && !(catches_up && link_->server == 0);
    }
    static bool is_reply(const Arriving& item) { return item.call.has_value(); }
    template <typename T> void tell_live(std::vector<Owned<T>>& registered, const auto& function);
    void tell_sinks(const std::vector<Sink>& sinks, const WatchEvent& event);
    void answer(Call& call, zk::Reply reply) {
        work_for(call.owner, [&] { call.handler(std::move(reply)); });
    }
    static void write(TextBuilder& out, const Arriving& item);
    zk::Reply without_names_behind(zk::Reply list) const;
    static bool is_of_claim(const std::string& path);
    bool has_live_sink(const std::string& path) const;
    bool has_listener(const std::string& path) const;
    bool is_heeded(const std::string& path) const;
    bool is_heeded(const Arriving& item) const { return !item.event || is_heeded(item.event->path); }
    void write_link(TextBuilder& out, const PictureTerms& terms) const;
    void write_timers(TextBuilder& out, bool whole) const;
    void write_doomed_link(TextBuilder& out) const;
    bool awake() const { return own_now() >= frozen_until_; }
    std::chrono::nanoseconds own_now() const { return world_.now + ahead_; }
    std::string_view own_guid(std::string_view name) const;
    Breakage any_breakage();
    void emit(SessionState state, error_code reason = {});
    void lose_session();
    void resume(std::size_t server);
    Time certain_until(Time sent, bool by_leader);
    static bool concerns(WatchEventType type, WatchKind kind);
    static std::optional<std::pair<WatchKey, zk::WatchSink>> watch_of(const zk::Request& request, const error_code& ec);
    static WatchKey on_server(const WatchKey& key);
    static std::optional<WatchEventType> missed_by(const WatchKey& key, const FakeTree& tree, std::int64_t seen);
    void fire(const WatchEvent& event);
    std::vector<Sink> take_sinks(const WatchKey& key);
    static std::optional<WatchKey> awaited_by(const zk::Request& request);
    void on_told(const std::string& path, const zk::Reply& reply);
    void arrive(Arriving item);
    void hang_up();
    void leave_strays();
    std::chrono::milliseconds beat_interval() const;

    FakeSurroundings& world_;
    const std::string name_;
    const std::string default_data_ = "holder";
    ClientConfig config_;
    SharedObjects shared_objects_;
    const RetryPolicy retry_policy_ = RetryPolicy::exponential_backoff(std::chrono::milliseconds{20}, 4);
    int guids_ = 0;
    std::uint64_t requests_sent_ = 0;
    std::uint64_t requests_throttled_ = 0;

    SessionEvent event_;
    std::int64_t session_id_ = 0; // 0 when it is known to be gone
    std::int64_t last_zxid_ = 0;  // of the replies seen
    bool closed_ = false;
    std::shared_ptr<session::SessionClock> clock_;
    session::Certainty certainty_;
    std::optional<Link> link_;
    std::deque<zk::Request> strays_;
    std::chrono::nanoseconds frozen_until_{0};
    std::chrono::nanoseconds ahead_{0}; // of the others' time
    std::chrono::nanoseconds next_beat_{0};

    Owner acting_ = 0;
    std::set<Owner> told_;
    std::deque<Posted> posted_;
    std::multimap<std::chrono::nanoseconds, std::weak_ptr<Timer>> timers_;
    std::map<WatchKey, std::vector<Sink>> sinks_;     // once the read was answered
    std::map<WatchKey, std::vector<Sink>> unwatched_; // the same for nodes that may not be read
    struct Known {
        zk::NodeState state;
        std::chrono::nanoseconds look_at{0};
    };
    std::map<std::string, Known> known_; // of what somebody awaits an event of
    bool event_lost_ = false;
    std::vector<Owned<Listener>> listeners_;
    std::vector<Owned<KeptAlive>> kept_alive_;
    Removals removals_;
    Ghosts ghosts_;
};

} // namespace docent::detail
