// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client in memory. It keeps ClientView's contract on a connection to a FakeEnsemble. A FakeWorld drives it step by step.

#include "client/core/operation.hpp"
#include "client/core/removals/orphaned_nodes.hpp"
#include "client/core/removals/removals.hpp"
#include "client/transaction/marker_pool.hpp"
#include "fake_ensemble.hpp"
#include "session/validity_bound.hpp"
#include "zk/watch_table.hpp"

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

/// Shared by all clients of a test.
struct FakeSurroundings {
    explicit FakeSurroundings(std::uint64_t seed) : random(seed) {}

    bool chance(double probability) { return choose ? choose(2) == 1 : std::bernoulli_distribution(probability)(random); }
    std::size_t below(std::size_t bound) {
        if (choose) return bound < 2 ? 0 : choose(bound);
        return bound == 0 ? 0 : random() % bound;
    }

    FakeEnsemble ensemble;
    std::mt19937_64 random;
    /// If set, it replaces chance: it returns any number below its argument.
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
    std::shared_ptr<session::ValidityClock> validity_clock() const override { return clock_; }
    Registration listen(std::function<void(const SessionEvent&)> listener) override;
    Registration call_at(steady_clock::time_point when, std::function<void()> function) override;
    steady_clock::time_point now() const override { return steady_clock::time_point{own_now()}; }
    void remove_in_background(RemovalOrder order, Removed done) override;
    void keep_alive(std::weak_ptr<KeptAlive> object) override;
    std::string new_guid() override { return "plain" + new_marked_guid(); }
    std::string new_marked_guid() override { return name_ + std::to_string(++guids_); }
    void on_node_gone(const std::string& path) override { orphaned_nodes_.on_gone(path); }
    void on_guid_gone(const std::string& path, const std::string& guid) override { orphaned_nodes_.on_guid_gone(path, guid); }
    std::uint64_t random() override { return world_.choose ? 0 : world_.random(); } // only for pauses
    const RetryPolicy& retry_policy() const override { return retry_policy_; }
    const std::string& default_data() const override { return default_data_; }
    const ClientConfig& config() const override { return config_; }
    SharedObjects& shared_objects() override { return shared_objects_; }

    // Call these before the first step.
    void set_tracer(std::shared_ptr<Tracer> tracer) { config_.tracer = std::move(tracer); }
    void set_heartbeats(Heartbeats heartbeats) { config_.heartbeats = heartbeats; }

    // ---- steps, each with the condition that it is possible
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
    std::optional<std::chrono::nanoseconds> next_time() const; // time of the next step that time alone makes possible

    // ---- faults
    bool next_is_event() const { return can_deliver() && link_->arriving.front().event; }
    /// Loses the event that would arrive next. Then the client is due to look again, whatever the time is.
    void lose_event();
    bool has_lost_event() const { return event_lost_; }
    enum class Looks { due, all };
    void look_again(Looks looks); // at all nodes with awaited events
    /// A node that its server does not watch, because the client may not read it, has changed there. Only a look tells that.
    bool misses_event() const { return !missed_paths().empty(); }
    void look_at_missed();
    bool linked() const { return link_.has_value(); }
    bool hears() const { return awake() && link_ && !link_->cut; } // its server
    /// How a break looks to the client. `reached`: the number of open requests that may still reach the leader.
    struct Breakage {
        bool told_first = true; // of the break, and then of the lost replies
        error_code ec = server_error::connection_loss;
        std::size_t reached = 0;
    };
    void break_link(); // in a random way
    void break_link(const Breakage& breakage);
    void cut_link(); // nothing passes any more, and the client has not noticed yet
    void freeze(std::chrono::nanoseconds length) { frozen_until_ = own_now() + length; }
    void wake() { frozen_until_ = {}; }
    /// Time passes only for this client.
    void let_pass(std::chrono::nanoseconds length) { ahead_ += length; }
    void close();
    void abandon(); // the test is over: no callback comes any more

    // ---- events of the ensemble for the client's server
    void on_change(std::size_t server, const TreeChange& change);
    void on_session_end(std::size_t server, std::int64_t session);
    void on_no_quorum();

    Time boot_now() const { return Time{own_now()}; }
    std::uint64_t requests_sent() const { return requests_sent_; }
    std::uint64_t requests_throttled() const { return requests_throttled_; }
    bool idle() const; // nothing is under way
    std::size_t open_removals() const { return removals_.pending(); }

    // ---- owners: the contenders that share this client. 0: the client itself, or any contender. The acting owner owns the
    // requests that it sends, and their replies.
    using Owner = std::size_t;
    static constexpr Owner for_all = 0;
    template <typename Function> void ask_for(Owner owner, Function&& function) {
        const Owner before = std::exchange(acting_, owner);
        function();
        acting_ = before;
    }
    /// Runs a function for an owner that is told of a reply or an event.
    template <typename Function> void work_for(Owner owner, Function&& function) {
        told_.insert(owner);
        ask_for(owner, function);
    }
    /// Returns the owners that were told something since the last call.
    std::set<Owner> take_told() { return std::exchange(told_, {}); }

    // ---- for explorers; the texts are in observers/fake_client_picture.cpp
    bool frozen() const { return !awake(); }
    bool awaits_replies() const { return link_ && std::any_of(link_->arriving.begin(), link_->arriving.end(), is_reply); }
    bool has_requests() const { return link_ && !link_->requests.empty(); }
    /// A request may change something on the servers.
    bool has_effective_requests() const {
        return link_ && std::any_of(link_->requests.begin(), link_->requests.end(),
                                    [this](const Call& call) { return is_effective(call); });
    }
    bool next_is_effective() const { return has_requests() && is_effective(link_->requests.front()); }
    std::size_t watches() const { return link_ ? link_->watches.size() : 0; }
    std::size_t live_sinks() const;
    std::optional<std::size_t> server() const { return link_ ? std::optional(link_->server) : std::nullopt; }
    std::optional<std::chrono::nanoseconds> next_timer(); // time until the next timer; 0: it is due
    std::string next_request() const;                     // as text; empty if there is none
    std::string next_arrival() const;
    /// The request that its server handles next; null if there is none.
    const zk::Request* request_to_serve() const;
    /// A server that knows less does not accept the client.
    std::int64_t last_zxid() const { return last_zxid_; }
    /// The number of the owner's oldest open request. Without an owner, of all requests of the client.
    std::optional<std::uint64_t> oldest_request(std::optional<Owner> owner) const;
    struct Asked {
        std::uint64_t number; // among all requests of the client
        std::string path;     // empty: several paths
        Owner owner;
    };
    std::optional<Asked> next_answered() const;                     // by the next arrival
    std::vector<Asked> all_asked(std::optional<Owner> owner) const; // open requests
    bool has_unheard_news() const;                                  // the next arrival is an event without a listener
    bool hears_reply_next() const;                                  // the next arrival is a reply
    bool hears_end_next() const;                                    // the next arrival is the end of the connection
    std::vector<std::string> watched_paths() const;                 // with a listener, also of nodes that may not be read
    bool asks_about(const std::string& path) const;                 // or watches it, or will after a reply
    bool watches_others() const;                                    // of a connected client: nodes of others
    bool watches_list(const std::string& path) const;               // of the children, now or after a reply
    bool is_own(const std::string& path) const;                     // by the guid in the name
    std::size_t arrivals() const;                                   // that have a listener
    struct PictureTerms {
        bool hears_nothing = false;       // on this connection, which will break
        bool whole = true;                // also parts without an effect
        bool keeps_nodes = false;         // no other client removes its nodes: watches on them are left out,
        std::set<const void*> awaiting{}; // except for these
        std::vector<std::string> lines{}; // in lists of these queues, names behind all of the client's nodes are left out
        /// Nodes of these trees may become unreadable: what the client knows of them is written.
        std::vector<const NodeTree*> hiding{};
    };
    /// Writes everything that can be seen of the client from outside.
    void write_picture(TextBuilder& out, const PictureTerms& terms) const;
    /// Writes how far the follower is behind the changes that the client has seen, or will have seen after its last reply. Also
    /// writes which of the client's watches have missed a change. `follower`: null if it does not matter. `hears_nothing`: the
    /// client hears no more on this connection. `whole`: includes watches without a listener.
    void write_behind(TextBuilder& out, const NodeTree* follower, const std::function<std::size_t(std::int64_t)>& behind,
                      bool hears_nothing, bool whole) const;
    /// Makes all guids equally long, because paths are compared as texts, also as keys of maps.
    void let_guids_be_of_one_length() { guids_ = 100; }
    /// For a client that only sends requests that the leader's server can handle, and awaits no events.
    void move_to_leader() { link_->server = 0; }
    /// Drops watches without a listener. Only for a client that has a connection, and will keep it.
    void forget_unheeded_watches();
    /// Returns true for a node of the present session with the client's guid in its name.
    bool has_node(const std::string& path) const;
    /// Returns true for a marker that waits for the next transaction.
    bool keeps_marker(const std::string& path) const { return kept<MarkerPool>().is_idle(path); }

    /// The next request is refused, as an overloaded server does.
    bool throttle_next = false;
    /// The next event from its server is lost, with the watch: by a fault of the server, or on the way.
    bool lose_next_event = false;
    /// No server can be reached.
    bool unreachable = false;

private:
    struct Call {
        zk::Request request;
        zk::ReplyHandler handler;
        Time sent;
        Owner owner;
        std::uint64_t number; // among all requests of the client
    };
    struct Arriving {
        std::optional<Call> call; // none: a watch event, or the end of the connection
        zk::Reply reply;
        std::optional<WatchEvent> event;
        std::int64_t zxid = 0;
    };
    enum class WatchKind { data, exists, absent, children }; // absent: `exists` has not found the node
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
        std::optional<std::chrono::nanoseconds> cut; // when the client notices the cut
        bool hung_up = false;                        // by the server: the last arrival says so
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
        const bool catches_up = std::holds_alternative<zk::SyncRequest>(call.request); // has no effect at the leader's server
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
    void for_each_open_request(std::optional<Owner> owner, const auto& function) const;
    static bool is_any_live(const std::vector<Sink>& sinks) {
        return std::any_of(sinks.begin(), sinks.end(), [](const Sink& each) { return !each.weak.expired(); });
    }
    /// Returns true if `is` returns true for an awaited event and its sinks.
    bool any_awaited(const auto& is) const {
        const auto is_one = [&](const auto& entry) { return is(entry.first, entry.second); };
        return std::any_of(sinks_.begin(), sinks_.end(), is_one) || std::any_of(unwatched_.begin(), unwatched_.end(), is_one);
    }
    std::set<std::string> missed_paths() const;
    bool has_sink(const std::string& path) const;
    bool has_live_sink(const std::string& path) const;
    bool has_unwatched_sink(const std::string& path) const;
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
    static std::optional<WatchEventType> missed_by(const WatchKey& key, const NodeTree& tree, std::int64_t seen);
    void fire(const WatchEvent& event);
    std::vector<Sink> take_sinks(const WatchKey& key);
    static std::optional<WatchKey> awaited_by(const zk::Request& request);
    void on_told(const std::string& path, const zk::Reply& reply);
    void arrive(Arriving item);
    void hang_up();
    void leave_strays();
    std::chrono::milliseconds beat_interval() const;
    std::chrono::milliseconds look_interval() const;

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
    std::int64_t session_id_ = 0; // 0: none yet, or known to have ended
    std::int64_t last_zxid_ = 0;  // of the received replies
    bool closed_ = false;
    std::shared_ptr<session::ValidityClock> clock_;
    session::ValidityBound validity_bound_;
    std::optional<Link> link_;
    std::deque<zk::Request> strays_;
    std::chrono::nanoseconds frozen_until_{0};
    std::chrono::nanoseconds ahead_{0}; // of the world's time
    std::chrono::nanoseconds next_beat_{0};
    int beats_ = 0; // since the last connect

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
    std::map<std::string, Known> known_; // nodes with awaited events
    bool event_lost_ = false;
    bool lost_since_look_ = false; // an event was lost after the last look began
    std::vector<Owned<Listener>> listeners_;
    std::vector<Owned<KeptAlive>> kept_alive_;
    Removals removals_;
    OrphanedNodes orphaned_nodes_;
};

} // namespace docent::detail
