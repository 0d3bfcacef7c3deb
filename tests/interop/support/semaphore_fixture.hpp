// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "locks_fixture.hpp"

#include <docent/recipes/inter_process_semaphore.hpp>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace docent::test {

using Permits = std::vector<Lease>;

/// A thread of the Java peer at Curator's semaphore at /lock, and its permits.
class JavaSemaphore {
public:
    /// `limit`: `limit=NUMBER` or `limit-of=PATH`
    JavaSemaphore(JavaPeer& peer, std::string thread, const std::string& limit, const std::string& client = "curator")
        : peer_(peer), thread_(std::move(thread)), words_{"client=" + client, "path=/lock", limit} {}

    /// Starts an acquire. The thread takes no other command until it has the permits.
    void begin_acquire(int count = 1) { send("acquire-permits", {"count=" + std::to_string(count)}); }
    bool waits() { return !peer_.has_answered(thread_); }
    /// Waits for the acquire of begin_acquire() and returns the names of the new permits' nodes.
    std::vector<std::string> get() { return names(peer_.await(thread_)); }

    std::vector<std::string> acquire(int count = 1) {
        begin_acquire(count);
        return get();
    }
    bool try_acquire(int count = 1) {
        send("acquire-permits", {"count=" + std::to_string(count), "within=0"});
        return !get().empty();
    }
    /// Releases the oldest permit.
    void release() { EXPECT_EQ(ask("release-permit").error, ""); }
    /// The participants as every user of the same client sees them, sorted.
    std::vector<std::string> participants() { return names(ask("permit-participants")); }
    void set_node_data(const std::string& data) { EXPECT_EQ(ask("name-permits", {data_word(data)}).error, ""); }

private:
    void send(const std::string& verb, Words more = {}) {
        more.insert(more.end(), words_.begin(), words_.end());
        peer_.send(thread_, verb, more);
    }
    JavaAnswer ask(const std::string& verb, Words more = {}) {
        send(verb, std::move(more));
        return peer_.await(thread_);
    }
    static std::vector<std::string> names(const JavaAnswer& answer) {
        EXPECT_EQ(answer.error, "");
        std::vector<std::string> all;
        const std::string text = answer["names"];
        if (!text.empty()) boost::split(all, text, boost::is_any_of(","));
        return all;
    }

    JavaPeer& peer_;
    std::string thread_;
    Words words_;
};

/// Docent's and Curator's semaphore at /lock, with its gate and its leases.
class SemaphoreFixture : public LocksFixture {
protected:
    JavaSemaphore curators(const std::string& thread, int limit, const std::string& its_client = "curator") {
        return {java, thread, "limit=" + std::to_string(limit), its_client};
    }

    /// The nodes at the gate, in the order of their turns.
    std::vector<std::string> gate() {
        std::vector<std::string> sorted;
        for (auto& contender : detail::sorted_queue(detail::mutex_names(), children("/lock/locks"))) {
            sorted.push_back(std::move(contender.name));
        }
        return sorted;
    }
    /// The first node at the gate; empty if there is none.
    std::string first_at_gate() {
        const auto names = gate();
        return names.empty() ? "" : names.front();
    }
    std::vector<std::string> leases() {
        auto names = children("/lock/leases");
        std::sort(names.begin(), names.end());
        return names;
    }
    /// Waits for so many nodes at the gate and so many leases. The leases include those that the first contender at the gate
    /// has made and waits with.
    bool reaches(std::size_t at_gate, std::size_t permits) {
        return eventually([&] { return gate().size() == at_gate && leases().size() == permits; });
    }
    std::int64_t owner_of(const std::string& path) { return observer->get(path).stat.ephemeral_owner; }

    /// Expects that docent's contender is first at the gate, has looked at the leases and waits. A contender that was admitted
    /// would show that.
    template <typename T> void expect_waits_inside(const std::future<T>& acquired) {
        EXPECT_TRUE(eventually([&] {
            const std::string first = first_at_gate();
            if (first.empty()) return !waits(acquired);
            const auto stat = observer->exists("/lock/locks/" + first);
            const auto sessions = watchers("/lock/locks/" + first);
            return !waits(acquired) || (stat && std::count(sessions.begin(), sessions.end(), hex(stat->ephemeral_owner)) > 0);
        }));
        EXPECT_TRUE(waits(acquired));
    }
};

} // namespace docent::test
