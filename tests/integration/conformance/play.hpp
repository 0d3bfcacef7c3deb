// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "subject.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace docent::conformance {

/// The answers of each client, and the events between them, in their order. Transcripts are comparable: paths are relative to
/// the script's node, owners are named, transactions are numbered by their order.
using Transcript = std::array<std::vector<std::string>, Subject::clients>;

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

} // namespace docent::conformance
