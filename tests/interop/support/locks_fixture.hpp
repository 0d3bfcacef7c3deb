// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eventually.hpp"
#include "framework_fixture.hpp"
#include "peer_lock.hpp"
#include "queue/contender.hpp"
#include "queue_at.hpp"

#include <docent/recipes/inter_process_read_write_lock.hpp>

#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <cstdint>
#include <future>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace docent::test {

/// A thread of the Java peer at one side (mutex, read, write) of Curator's lock at /lock.
class JavaLock : public PeerLock {
public:
    JavaLock(JavaPeer& peer, std::string thread, const std::string& side, const std::string& client = "curator")
        : PeerLock(peer, std::move(thread), {"client=" + client, "path=/lock", "side=" + side}, "within=0") {}

    bool is_held() { return ask("held")["by-thread"] == "true"; }
    std::string participants() { return ask("participants")["names"]; }

    /// Makes the hold revocable until its release. To be called before the acquire.
    void make_revocable() { EXPECT_EQ(ask("make-revocable").error, ""); }
    /// How often the listener was told of a request, when that is at least once.
    std::string await_requests() { return ask("await-revocation")["times"]; }
};

/// The queue at /lock, as a second client of docent's sees it.
class LocksFixture : public FrameworkFixture {
protected:
    std::unique_ptr<Client> observer;

    void SetUp() override {
        FrameworkFixture::SetUp();
        observer = connected({});
    }

    /// Names of the nodes, in the order of their turns.
    std::vector<std::string> queue(const detail::QueueNames& names) {
        std::vector<std::string> sorted;
        for (auto& contender : detail::sorted_queue(names, children())) sorted.push_back(std::move(contender.name));
        return sorted;
    }
    std::vector<std::string> children(const std::string& path = "/lock") { return queue_at(*observer, path); }
    bool queue_reaches(std::size_t length) { return test::queue_reaches(*observer, "/lock", length); }
    /// Waits until the queue has this length and docent's client has acted on all events so far.
    bool queue_is_known_to_reach(std::size_t length) {
        const bool reached = queue_reaches(length);
        client->sync();
        return reached;
    }
    /// Returns true if a session other than the owner's watches this node, that is, waits for its removal. The owner may watch
    /// it, too.
    bool is_waited_for(const std::string& name) {
        const auto stat = observer->exists("/lock/" + name);
        const auto sessions = watchers("/lock/" + name);
        return stat && std::any_of(sessions.begin(), sessions.end(),
                                   [&](const std::string& session) { return session != hex(stat->ephemeral_owner); });
    }
    /// The sessions that watch this node, as hex() writes them.
    std::vector<std::string> watchers(const std::string& path) const {
        std::istringstream watches(server.four_letter_word("wchp")); // each path, followed by its sessions, one a line
        std::vector<std::string> sessions;
        std::string line;
        while (std::getline(watches, line) && line != path) {
        }
        while (std::getline(watches, line) && line.starts_with('\t')) sessions.push_back(line.substr(1));
        return sessions;
    }
    bool is_reaped() {
        return eventually([&] { return !observer->exists("/lock"); });
    }
    /// Returns true if the server knows this session and it has ephemeral nodes.
    bool has_session(std::int64_t id) const {
        return server.four_letter_word("dump").find(hex(id) + ":\n") != std::string::npos;
    }
    static std::string hex(std::int64_t id) {
        std::ostringstream text;
        text << "0x" << std::hex << id;
        return text.str();
    }
};

/// A read/write lock of docent's and a read/write lock of Curator's on the same path.
class LocksReadWrite : public LocksFixture {
protected:
    std::optional<InterProcessReadWriteLock> lock;

    void SetUp() override {
        LocksFixture::SetUp();
        lock.emplace(*client, "/lock");
    }
    JavaLock reading(const std::string& thread) { return {java, thread, "read"}; }
    JavaLock writing(const std::string& thread) { return {java, thread, "write"}; }
    std::future<Lease> begin_read() { return lock->read_lock().async_acquire(asio::use_future); }
    std::future<Lease> begin_write() { return lock->write_lock().async_acquire(asio::use_future); }
    std::vector<std::string> in_order() { return queue(detail::read_write_names()); }

    /// Expects that a session other than the owner's watches this node, and that the waiters still wait. `still_waits` returns
    /// false as soon as a waiter is admitted.
    template <class Waits> void expect_waits_for(const std::string& name, Waits still_waits) {
        EXPECT_TRUE(eventually([&] { return is_waited_for(name) || !still_waits(); })) << name;
        EXPECT_TRUE(still_waits());
    }
    /// The name of the node at this place in the queue, checked against its expected kind.
    std::string node_at(std::size_t place, const std::string& token) {
        const auto names = in_order();
        if (place >= names.size()) return "none";
        EXPECT_NE(names[place].find(token), std::string::npos) << names[place];
        return names[place];
    }
};

} // namespace docent::test
