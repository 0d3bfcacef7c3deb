// SPDX-License-Identifier: Apache-2.0

// Runs a session on the fake C client through random schedules of faults, on virtual time. After each event the promises of the
// session are checked. DOCENT_SESSION_SEEDS in the environment sets the number of seeds.

#include "c_client/fake_session.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <array>
#include <list>
#include <optional>
#include <random>
#include <set>
#include <utility>

namespace docent::session {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using zk::WatchKind;
using enum SessionState;

class Schedule : public test::FakeSession {
public:
    /// Every third seed gives a session with relaxed heartbeats.
    explicit Schedule(std::uint64_t seed)
        : FakeSession(seed, seed % 3 == 0 ? Heartbeats::relaxed : Heartbeats::frequent), random_(seed) {
        service.latency = [this] { return chance(50) ? up_to(300ms) : 1ms + up_to(4ms); };
        service.ping_gap = [this] { return timeout / 4 + (chance(2) ? up_to(timeout / 24) : 0ms); };
        loop.after_each = [this] { look(); };
    }

    void run() {
        loop.run_for(up_to(timeout / 4)); // the leader pings at any moment
        start();
        session->set_frequent_heartbeats(chance(2));
        const int length = 10 + number(40);
        for (int i = 0; i < length && !::testing::Test::HasFailure(); ++i) {
            step();
            if (!chance(4)) loop.run_for(chance(3) ? up_to(timeout) : up_to(300ms));
        }
        heal();
        count(zk::SetRequest{"/a", ""}); // no other request shows that an administrator closed the session
        loop.run_for(12 * timeout);      // until no fault has an effect any more
        check_quiet();
        give_everything_up();
        loop.run_for(timeout);
        EXPECT_EQ(service.watches(), 0u) << "watches are left on the server";
        EXPECT_EQ(client.watches(), 0u) << "watches are left in the C client";
        close();
    }

private:
    struct Read {
        std::string path;
        WatchKind kind;
        zk::WatchSink sink;
        int answered = 0;
        bool watching = false;
        int told = 0;
        std::optional<Stat> seen = {}; // the result of the read
    };

    // ---- random choices

    int number(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
    bool chance(int in) { return number(in) == 0; }
    template <typename Duration> std::chrono::nanoseconds up_to(Duration longest) {
        return std::chrono::nanoseconds{
            static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(std::chrono::nanoseconds{longest}.count() + 1))};
    }
    std::string path() { return std::array{"/a", "/b", "/c"}.at(static_cast<std::size_t>(number(3))); }

    // ---- events

    void step() {
        switch (number(31)) {
        case 0:
        case 1: service.cut(chance(2)); break;
        case 2: // a request that is sent at the same moment finds the connection gone
            if (chance(2)) ask();
            service.cut(true);
            client.half_sent = chance(3);
            for (int i = number(3); i >= 0; --i) ask();
            break;
        case 3: service.stall_up(up_to(timeout * 5 / 4)); break;
        case 4: service.stall_down(up_to(timeout * 5 / 4)); break;
        case 5: // the answer is late, and no later answer arrives
            ask_leader();
            service.stall_down(up_to(timeout * 2 / 3));
            break;
        case 6: service.set_quorum(false); break;
        case 7:
        case 8: service.set_quorum(true); break;
        case 9: service.cut_off(up_to(timeout * 3 / 2)); break;
        case 20: service.to_leader.stall(up_to(timeout / 2)); break;
        case 21: service.from_leader.stall(up_to(timeout / 2)); break;
        case 22: // a follower loses its leader for good after a time of silence
            service.cut_off(up_to(timeout));
            loop.run_for(up_to(timeout));
            [[fallthrough]];
        case 23: service.break_link(); break;
        case 24: // the leader's pings are late, and their answers never arrive
            service.from_leader.stall(up_to(timeout / 3));
            loop.run_for(up_to(timeout / 3));
            service.to_leader.stall(up_to(2 * timeout));
            break;
        case 25: // a follower that is cut off goes on to answer requests that need no leader
            service.cut_off(up_to(2 * timeout));
            for (int i = number(4); i >= 0; --i) {
                loop.run_for(up_to(timeout / 12));
                read(path(), WatchKind::data);
            }
            break;
        case 10: stand_still(up_to(timeout * 5 / 4)); break;
        case 11: loop.suspend(up_to(timeout * 5 / 4)); break;
        case 12: client.next_send = ZSYSTEMERROR; break;
        case 13: loop.out_of_descriptors = chance(2); break;
        case 14: client.out_of_descriptors = chance(2); break;
        case 15: service.change(path()); break;
        case 16: service.make(path()); break;
        case 17:
            if (chance(6)) end_it_on_the_server();
            break;
        case 18: give_up_one(); break;
        case 19: // gives up one watch while another watch of the same path is being set
            if (Read* old = any_read()) {
                read(old->path, old->kind);
                give_up(*old);
            }
            break;
        default: ask(); break;
        }
    }

    /// Stops the process while requests are under way.
    void stand_still(std::chrono::nanoseconds length) {
        if (chance(2)) ask_leader();
        loop.stand_still(length);
    }

    void end_it_on_the_server() {
        if (session->last_event().session_id == 0) return;
        ended_on_server_.insert(session->last_event().session_id);
        if (chance(2)) return service.expire(session->last_event().session_id);
        if (chance(3)) return service.end_beside(session->last_event().session_id);
        for (const std::int64_t id : service.session_ids())
            ended_on_server_.insert(id); // the client may not know this session yet
        forget();
    }
    void forget() {
        service.forget_everything();
        service.make("/a");
    }

    void ask() {
        if (chance(2))
            return read(path(), std::array{WatchKind::data, WatchKind::exists, WatchKind::children}.at(
                                    static_cast<std::size_t>(number(3))));
        ask_leader();
    }
    void ask_leader() {
        switch (number(4)) {
        case 0: return count(zk::SyncRequest{"/"});
        case 1: return count(zk::SetRequest{path(), ""});
        case 2:
            return count(
                zk::CreateRequest{path(), "", chance(2) ? CreateMode::ephemeral : CreateMode::persistent, Acl{AclEntry{}}});
        default: return count(zk::RemoveRequest{path()});
        }
    }
    void count(zk::Request request) {
        int& answered = answered_.emplace_back(0);
        submit(std::move(request), [&answered](const zk::Reply&) { ++answered; });
    }

    void read(const std::string& path, WatchKind kind) {
        Read& read = reads_.emplace_back(Read{path, kind, nullptr});
        if (chance(3)) read.sink = nullptr;
        else read.sink = zk::make_watch_sink([&read](const WatchEvent&) { ++read.told; });
        const auto done = [&read](const zk::Reply& reply) {
            ++read.answered;
            const bool found = !reply.ec;
            read.watching = read.sink && (found || (read.kind == WatchKind::exists && reply.ec == server_error::no_node));
            if (found) read.seen = reply.stat;
            if (!read.watching) read.sink.reset();
        };
        switch (kind) {
        case WatchKind::data: return submit(zk::GetRequest{path, read.sink}, done);
        case WatchKind::exists: return submit(zk::ExistsRequest{path, read.sink}, done);
        case WatchKind::children: return submit(zk::ChildrenRequest{path, read.sink}, done);
        }
    }

    Read* any_read() {
        std::vector<Read*> watching;
        for (Read& read : reads_) {
            if (read.sink && read.watching && read.told == 0) watching.push_back(&read);
        }
        return watching.empty() ? nullptr : watching[static_cast<std::size_t>(number(static_cast<int>(watching.size())))];
    }
    void give_up(Read& read) {
        read.sink.reset();
        session->forget_watch(read.path, read.kind);
    }
    void give_up_one() {
        if (Read* read = any_read()) give_up(*read);
    }

    void heal() {
        service.set_quorum(true);
        loop.out_of_descriptors = client.out_of_descriptors = client.half_sent = false;
        client.next_send = ZOK;
        service.latency = [] { return 1ms; };
    }

    // ---- promises

    /// Checks after each event, as another thread would see the session.
    void look() {
        const auto clock = session->clock();
        if (!clock || session->last_event().epoch != clock->epoch()) return;
        const bool valid = clock->valid_at(loop.now());
        const std::int64_t id = session->last_event().session_id;
        if (valid && !ended_on_server_.contains(id)) {
            EXPECT_TRUE(service.alive(id)) << "the bound says valid, the server has ended the session";
        }
        if (!valid && !clock->ended() && session->last_event().state != lost) seen_invalid_ = clock->epoch();
        if (valid) {
            EXPECT_NE(seen_invalid_, clock->epoch()) << "the bound had passed, nobody was told, and it is valid again";
        }
    }

    void on_session_event(const SessionEvent& event) override {
        const SessionEvent before = events.empty() ? SessionEvent{} : events.back();
        FakeSession::on_session_event(event);
        EXPECT_NE(before.state, closed) << "nothing follows that";
        EXPECT_GE(event.epoch, before.epoch);
        switch (event.state) {
        case connected:
            if (event.epoch == before.epoch) {
                EXPECT_TRUE(before.state == suspended || (before.state == lost && before.reason == error::not_connected));
                EXPECT_EQ(event.session_id, before.session_id);
            } else {
                EXPECT_EQ(event.epoch, before.epoch + 1);
                EXPECT_TRUE(before.epoch == 0 || (before.state == lost && before.reason == server_error::session_expired));
            }
            break;
        case suspended: EXPECT_EQ(before.state, connected); break;
        case lost:
            EXPECT_TRUE(before.state != lost || before.reason == error::not_connected);
            if (event.reason == error::not_connected) {
                EXPECT_NE(before.state, lost);
            } else {
                EXPECT_FALSE(service.alive(event.session_id)) << "it was ended while the server kept it";
            }
            if (event.epoch == seen_invalid_) seen_invalid_ = 0;
            break;
        default: break;
        }
    }

    /// Checks after all faults have been gone for long.
    void check_quiet() {
        EXPECT_EQ(session->last_event().state, connected);
        EXPECT_EQ(service.sessions(), 1u) << "also those of probes";
        for (const int answered : answered_) EXPECT_EQ(answered, 1);
        for (const Read& read : reads_) {
            EXPECT_EQ(read.answered, 1);
            EXPECT_LE(read.told, 1);
            if (!read.watching || !read.sink || read.told > 0) continue;
            EXPECT_TRUE(is_unchanged(read)) << "the watch of " << read.path << " has missed a change";
        }
    }

    bool is_unchanged(const Read& read) const {
        const auto* node = service.tree().find(read.path);
        if ((node != nullptr) != read.seen.has_value()) return false;
        if (node == nullptr) return true;
        if (read.kind == WatchKind::children) return node->stat.pzxid == read.seen->pzxid;
        return node->stat.mzxid == read.seen->mzxid;
    }

    void give_everything_up() {
        for (Read& read : reads_) {
            if (read.sink) give_up(read);
        }
    }

    void close() {
        session->close([] {});
        loop.run_for(2s);
        EXPECT_EQ(session->last_event().state, closed);
        EXPECT_EQ(client.handles(), 0u);
        EXPECT_EQ(loop.descriptors_used, 0);
        EXPECT_EQ(service.sessions(), 0u);
    }

    std::mt19937_64 random_;
    std::list<int> answered_; // the number of answers to each request
    std::list<Read> reads_;
    std::set<std::int64_t> ended_on_server_; // sessions that an administrator ended
    std::uint64_t seen_invalid_ = 0;         // the epoch whose bound had passed before the session reported it
};

TEST(SessionSeeds, KeepTheirPromisesThroughEveryScheduleOfFaults) {
    const std::uint64_t first = number_from("DOCENT_SESSION_SEED", 1);
    const std::uint64_t last = first - 1 + number_from("DOCENT_SESSION_SEEDS", 3'000);
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        Schedule(seed).run();
        ASSERT_FALSE(HasFailure()) << "seed " << seed << ": DOCENT_SESSION_SEED=" << seed << " DOCENT_SESSION_SEEDS=1";
    }
}

} // namespace
} // namespace docent::session
