// SPDX-License-Identifier: Apache-2.0
#include "play.hpp"

#include "testing/memory/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

namespace docent::conformance {
namespace {

constexpr char mark = '#'; // stands on both sides of a transaction's number until all numbers are known

template <typename Visit> void for_each_number(std::string& text, const Visit& visit) {
    for (auto begin = text.find(mark); begin != std::string::npos; begin = text.find(mark, begin)) {
        const auto end = text.find(mark, begin + 1);
        const std::int64_t number = std::strtoll(text.c_str() + begin + 1, nullptr, 10);
        if (const auto instead = visit(number); !instead.empty()) text.replace(begin, end + 1 - begin, instead);
        else begin = end + 1;
    }
}

void set_watch(zk::Request& request, const zk::WatchSink& sink) {
    std::visit(
        [&](auto& each) {
            if constexpr (requires { each.watch; }) each.watch = sink;
        },
        request);
}

} // namespace

std::string transaction(std::int64_t zxid) {
    return mark + std::to_string(zxid) + mark;
}

void number_by_order(std::span<std::vector<std::string>> transcripts) {
    std::set<std::int64_t> known;
    const auto each = [&](const auto& visit) {
        for (auto& lines : transcripts) {
            for (auto& line : lines) for_each_number(line, visit);
        }
    };
    each([&](std::int64_t number) {
        known.insert(number);
        return std::string();
    });
    each([&](std::int64_t number) { return "t" + std::to_string(std::distance(known.begin(), known.find(number))); });
}

Play::Play(Subject& subject, const std::string& name) : subject_(subject), base_("/" + name) {
    for (std::size_t client = 0; client < Subject::clients; ++client) sessions_[client] = subject.session_of(client);
    ask(alice, zk::CreateRequest{""});
    for (auto& lines : told_) lines.clear();
}

void Play::place(zk::Request& request) const {
    const auto move = [this](auto& each) {
        if constexpr (requires { each.path; }) each.path = base_ + each.path;
    };
    if (auto* multi = std::get_if<zk::MultiRequest>(&request)) {
        for (auto& operation : multi->operations) std::visit(move, operation);
    }
    std::visit(move, request);
}

void Play::ask_all(Who who, std::vector<zk::Request> requests) {
    for (auto& request : requests) place(request);
    send(who, std::move(requests));
}

void Play::ask_as_is(Who who, zk::Request request) {
    send(who, {std::move(request)});
}

void Play::watch(Who who, zk::Request read) {
    const std::size_t number = ++watches_.at(who);
    set_watch(read, sinks_.emplace_back(zk::make_watch_sink([this, who, number](const WatchEvent& event) {
        ++events_.at(who);
        note(who, "watch " + std::to_string(number) + ": " + std::string(to_string(event.type)) + " " + below(event.path));
    })));
    ask(who, std::move(read));
}

void Play::watch_all(Who who, const std::string& path) {
    watch(who, zk::GetRequest{path});
    watch(who, zk::ExistsRequest{path});
    watch(who, zk::ChildrenRequest{path});
}

/// Adds the ACLs that a client fills in.
void Play::send(Who who, std::vector<zk::Request> requests) {
    const auto open = std::make_shared<std::size_t>(requests.size());
    for (auto& each : requests) {
        const zk::Request request = detail::with_open_acls(std::move(each));
        const std::size_t number = ++questions_.at(who);
        subject_.submit(who, request, [this, who, open, number, request](const zk::Reply& reply) {
            --*open;
            note(who, "question " + std::to_string(number) + ": " + text_of(reply, request));
        });
    }
    wait("an answer", [&] { return *open == 0; });
}

void Play::close(Who who) {
    subject_.close(who);
    wait("the end of the session", [&] { return subject_.session_of(who) == 0; });
}

void Play::await_events(Who who, std::size_t count) {
    wait("an event", [&] { return events_.at(who) >= count; });
}

void Play::wait(const std::string& what, const std::function<bool()>& done) {
    EXPECT_TRUE(subject_.run_until(done)) << "there never was " << what;
}

/// Requests under way are answered before these.
Transcript Play::end() {
    for (const Who who : {alice, bob}) {
        if (subject_.session_of(who) != 0) ask(who, zk::SyncRequest{""});
    }
    number_by_order(told_);
    return std::move(told_);
}

// ---- as text

std::string Play::below(const std::string& path) const {
    return path.starts_with(base_) ? "~" + path.substr(base_.size()) : path;
}

std::string Play::owner(std::int64_t session) const {
    const auto known = std::find(sessions_.begin(), sessions_.end(), session);
    if (session == 0) return "nobody";
    if (known == sessions_.end()) return std::to_string(session);
    return known == sessions_.begin() ? "alice" : "bob";
}

std::string Play::text_of(const Stat& stat) {
    std::ostringstream out;
    out << " [version " << stat.version << ", children changed " << stat.cversion << ", ACL version " << stat.aversion << ", "
        << stat.data_length << " bytes, " << stat.num_children << " children, owner " << owner(stat.ephemeral_owner)
        << ", created " << transaction(stat.czxid) << ", changed " << transaction(stat.mzxid) << ", children "
        << transaction(stat.pzxid) << ']';
    return out.str();
}

std::string Play::text_of(const zk::Reply& reply, const zk::Request& request) {
    std::ostringstream out;
    out << (reply.ec ? reply.ec.message() : "done");
    for (const auto& result : reply.results) {
        out << "; " << (result.ec ? result.ec.message() : "done");
        if (reply.ec) continue; // no change was applied
        out << ' ' << below(result.path) << (result.stat ? text_of(*result.stat) : "");
    }
    if (reply.ec) return out.str();
    if (!reply.path.empty()) out << ' ' << below(reply.path);
    if (std::holds_alternative<zk::GetRequest>(request)) out << " \"" << reply.data << '"';
    if (std::holds_alternative<zk::ChildrenRequest>(request)) {
        auto children = reply.children; // the server gives them in any order
        std::sort(children.begin(), children.end());
        out << " {";
        for (const auto& child : children) out << ' ' << child;
        out << " }";
    }
    if (reply.stat != Stat{}) out << text_of(reply.stat);
    return out.str();
}

} // namespace docent::conformance
