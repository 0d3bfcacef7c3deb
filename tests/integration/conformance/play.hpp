// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testing/memory/rules.hpp"
#include "zk/request.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace docent::test {
class PooledServer;
}

namespace docent::conformance {

/// The target of a script: clients with a session each, on real or fake servers.
class Subject {
public:
    virtual ~Subject() = default;

    static constexpr std::size_t clients = 2;

    virtual void submit(std::size_t client, zk::Request request, zk::ReplyHandler handler) = 0;
    /// The client's session; 0 if it has none.
    virtual std::int64_t session_of(std::size_t client) = 0;
    /// Closes the session.
    virtual void close(std::size_t client) = 0;
    /// Runs until `done()` returns true; returns false if that takes far too long.
    virtual bool run_until(const std::function<bool()>& done) = 0;
    /// Makes the server remove empty containers soon.
    virtual void reap() = 0;
};

/// Debian's server. It is started once, looks for empty containers all the time and allows nodes with a time to live.
test::PooledServer& real_server();
/// That server and the unchanged client.
std::unique_ptr<Subject> real_subject();
/// The permission that `exists` needs on that server. The fakes do the same.
detail::ExistsNeeds real_exists_needs();
/// The fake ensemble of the recipes' scenarios. The seed chooses each client's server and the order of events.
std::unique_ptr<Subject> ensemble_subject(std::uint64_t seed, detail::ExistsNeeds exists_needs);
/// A MemoryServer and the unchanged client.
std::unique_ptr<Subject> memory_subject(detail::ExistsNeeds exists_needs);
/// The unchanged client on a fake C client and fake servers.
std::unique_ptr<Subject> c_client_subject(detail::ExistsNeeds exists_needs);

/// The answers of each client, and the events between them, in their order. Transcripts are comparable: paths are relative to
/// the script's node, owners are named, transactions are numbered by their order.
using Transcript = std::array<std::vector<std::string>, Subject::clients>;

/// A transaction's number in a transcript, until number_by_order() is called.
std::string transaction(std::int64_t zxid);
/// Replaces the numbers of transactions by their rank: only their order and equality matter.
void number_by_order(std::span<std::vector<std::string>> transcripts);

/// The clients of a script.
enum Who : std::size_t { alice, bob };

/// Runs the steps of one script on a subject and records the results. Each step waits for its answers. Paths are relative to
/// the script's node.
class Play {
public:
    Play(Subject& subject, const std::string& name);

    void ask(Who who, zk::Request request) { ask_all(who, {std::move(request)}); }
    /// Sends all requests before it waits.
    void ask_all(Who who, std::vector<zk::Request> requests);
    /// Sends a read with a watch. The watches of a client are numbered.
    void watch(Who who, zk::Request read);
    /// Sets a watch of each of the three kinds.
    void watch_all(Who who, const std::string& path);
    /// Sends a request whose path is not relative to the script's node.
    void ask_as_is(Who who, zk::Request request);
    void close(Who who);
    /// Waits until the client has received so many events in all.
    void await_events(Who who, std::size_t count);
    /// Makes the server remove empty containers now or soon.
    void reap() { subject_.reap(); }

    /// Ends the script and returns the transcript.
    Transcript end();

private:
    void place(zk::Request& request) const;
    void send(Who who, std::vector<zk::Request> requests);
    void note(Who who, std::string text) { told_.at(who).push_back(std::move(text)); }
    void wait(const std::string& what, const std::function<bool()>& done);
    std::string text_of(const zk::Reply& reply, const zk::Request& request);
    std::string text_of(const Stat& stat);
    std::string owner(std::int64_t session) const;
    std::string below(const std::string& path) const;

    Subject& subject_;
    const std::string base_;
    std::array<std::int64_t, Subject::clients> sessions_{};
    std::array<std::size_t, Subject::clients> events_{};
    std::array<std::size_t, Subject::clients> questions_{};
    std::vector<zk::WatchSink> sinks_;
    std::array<std::size_t, Subject::clients> watches_{};
    Transcript told_;
};

/// A script that runs on a real server and on fake servers.
struct Script {
    std::string name;
    void (*play)(Play&);
};

// Each list is in its own file.
std::vector<Script> acl_scripts();
std::vector<Script> create_scripts();
std::vector<Script> change_scripts();
std::vector<Script> multi_scripts();
std::vector<Script> watch_scripts();
std::vector<Script> session_scripts();

} // namespace docent::conformance
