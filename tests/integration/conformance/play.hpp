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

/// What each client was told, in its order: answers, and events between them. Comparable: paths are below the script's own
/// node, owners are named, transactions are numbered by their order.
using Transcript = std::array<std::vector<std::string>, Subject::clients>;

/// The clients of a script.
enum Who : std::size_t { alice, bob };

/// Puts the steps of one script to a subject, and writes down what comes of them. Each step waits for its answers. Paths are
/// those below a node of the script's own.
class Play {
public:
    Play(Subject& subject, const std::string& name);

    void ask(Who who, zk::Request request) { ask_all(who, {std::move(request)}); }
    /// Sent in one breath.
    void ask_all(Who who, std::vector<zk::Request> requests);
    /// With a watch; those of one client are numbered.
    void watch(Who who, zk::Request read);
    /// With a watch of each of the three kinds.
    void watch_all(Who who, const std::string& path);
    /// A path that is none below the script's node.
    void ask_as_is(Who who, zk::Request request);
    void close(Who who);
    /// Until the client has been told so many events in all.
    void await_events(Who who, std::size_t count);
    /// Containers that may go do so now, or soon.
    void reap() { subject_.reap(); }

    /// When nothing more is to come.
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
