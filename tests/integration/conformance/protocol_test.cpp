// SPDX-License-Identifier: Apache-2.0

// Sends the same bytes to a MemoryServer and to the real server: requests that docent's client never sends, and requests that
// are wrong. Replies, events, their order, and ends of connections must be equal.

#include "hostile_server.hpp"
#include "integration/testing/raw_client.hpp"
#include "play.hpp"
#include "servers/pooled_server.hpp"
#include "testing/memory/jute.hpp"

#include <docent/testing/memory_server.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::conformance::protocol {
namespace {

using test::RawClient;
using test::wire;
using test::wire_frame;
using test::wire_long;
using test::wire_text;
using testing::JuteReader;
using testing::JuteWriter;

enum Operation : std::int32_t {
    create = 1,
    remove_node = 2,
    exists = 3,
    get = 4,
    set = 5,
    get_acl = 6,
    set_acl = 7,
    children = 8,
    sync_path = 9,
    ping = 11,
    children2 = 12,
    check = 13,
    multi = 14,
    create2 = 15,
    reconfig = 16,
    check_watches = 17,
    remove_watches = 18,
    create_container = 19,
    delete_container = 20,
    create_ttl = 21,
    auth = 100,
    set_watches = 101,
    get_ephemerals = 103,
    all_children_number = 104,
    set_watches2 = 105,
    add_watch = 106,
    who_am_i = 107,
    close_session = -11,
};

enum Mode : std::int32_t { persistent = 0, ephemeral = 1, container = 4, with_ttl = 5 };

constexpr std::int32_t event_xid = -1;

std::string create_body(const std::string& path, const std::string& data = {}, std::int32_t mode = persistent,
                        const Acl& acl = open_acl()) {
    return JuteWriter().text(path).text(data).acl(acl).number(mode).take();
}
std::string read_body(const std::string& path, bool watch = false) {
    return JuteWriter().text(path).flag(watch).take();
}
std::string set_body(const std::string& path, const std::string& data, std::int32_t version = -1) {
    return JuteWriter().text(path).text(data).number(version).take();
}
std::string numbered_body(const std::string& path, std::int32_t number) {
    return JuteWriter().text(path).number(number).take();
}

/// The connections of one script to a server. All replies, events and ends of connections are kept as lines of text.
class Wires {
public:
    Wires(std::uint16_t port, std::string base) : port_(port), base_(std::move(base)) {}

    std::string path(const std::string& below) const { return base_ + below; }

    /// Opens a session, or continues it on another connection, with another password if `password` is given.
    void connect(const std::string& name, std::optional<std::string> password = {}) {
        Wire& wire_of = wires_[name];
        wire_of.client.emplace(port_);
        const std::string secret = password.value_or(wire_of.password);
        wire_of.client->send_bytes(wire_frame(wire(0) + wire_long(wire_of.zxid) + wire(10'000) + wire_long(wire_of.session) +
                                              wire_text(secret) + '\0'));
        const auto frame = wire_of.client->read_frame();
        if (!frame) return note(name, "refused");
        JuteReader reader(*frame);
        reader.number();
        const std::int32_t timeout = reader.number();
        const std::int64_t session = reader.long_number();
        if (session == 0) return note(name, wire_of.client->closed_within() ? "expired" : "expired, and open");
        note(name, wire_of.session == session ? "the same session" : "a session");
        note(name, "timeout " + std::to_string(timeout));
        wire_of.session = session;
        wire_of.password = reader.text();
    }
    /// Closes the connection without an end of the session.
    void drop(const std::string& name) { wires_.at(name).client.reset(); }

    /// Sends a request and notes all that comes until its reply.
    void ask(const std::string& name, std::int32_t operation, const std::string& body, std::optional<std::int32_t> xid = {}) {
        Wire& wire_of = wires_.at(name);
        const std::int32_t number = xid.value_or(++wire_of.xid);
        const auto before = wire_of.client->send_bytes(wire_frame(wire(number) + wire(operation) + body));
        if (!before) return note(name, "closed");
        for (;;) {
            const auto reply = wire_of.client->read_reply();
            if (!reply) return note(name, wire_of.client->closed_within() ? "closed" : "no reply");
            if (reply->zxid > 0) wire_of.zxid = reply->zxid;
            if (reply->xid == event_xid) {
                note_event(name, reply->body);
                continue;
            }
            std::string text = "request " + std::to_string(operation) + ": ";
            if (reply->xid != number) text += "with the number " + std::to_string(reply->xid) + ", ";
            note(name, text + (reply->error == 0 ? "done" + text_of(operation, reply->body) : std::to_string(reply->error)));
            return;
        }
    }
    /// Sends bytes as they are, and notes whether the server closes the connection.
    void send(const std::string& name, const std::string& bytes) {
        Wire& wire_of = wires_.at(name);
        wire_of.client->send_bytes(bytes);
        note(name, wire_of.client->closed_within() ? "closed" : "open");
    }
    /// A connection without a session.
    void connect_only(const std::string& name) { wires_[name].client.emplace(port_); }

    std::int64_t seen(const std::string& name) { return wires_.at(name).zxid; }

    std::vector<std::string> end() {
        number_by_order(std::span(&lines_, 1));
        return lines_;
    }

private:
    struct Wire {
        std::optional<RawClient> client;
        std::int64_t session = 0;
        std::string password = std::string(16, '\0');
        std::int64_t zxid = 0;
        std::int32_t xid = 0;
    };

    void note(const std::string& name, const std::string& text) { lines_.push_back(name + ": " + text); }

    void note_event(const std::string& name, const std::string& body) {
        JuteReader reader(body);
        const std::int32_t type = reader.number();
        const std::int32_t state = reader.number();
        note(name, "event " + std::to_string(type) + ", state " + std::to_string(state) + ", " + below(reader.text()));
    }

    std::string below(const std::string& path) const {
        return path.starts_with(base_) ? "~" + path.substr(base_.size()) : path;
    }

    std::string stat(JuteReader& reader) {
        std::ostringstream out;
        const std::int64_t czxid = reader.long_number(), mzxid = reader.long_number();
        reader.long_number(), reader.long_number(); // times
        out << " version " << reader.number();
        out << " cversion " << reader.number();
        out << " aversion " << reader.number();
        const std::int64_t owner = reader.long_number();
        const auto known = std::find_if(wires_.begin(), wires_.end(),
                                        [&](const auto& each) { return owner != 0 && each.second.session == owner; });
        out << " owner " << (known != wires_.end() ? known->first : std::to_string(owner));
        out << " length " << reader.number();
        out << " children " << reader.number();
        out << " created " << transaction(czxid) << " changed " << transaction(mzxid);
        out << " children " << transaction(reader.long_number());
        return out.str();
    }

    std::string list(JuteReader& reader) {
        auto names = reader.texts();
        std::sort(names.begin(), names.end()); // a server gives them in any order
        std::string text = " {";
        for (const auto& name : names) text += " " + below(name);
        return text + " }";
    }

    std::string text_of(std::int32_t operation, const std::string& body) {
        JuteReader reader(body);
        std::string text;
        switch (operation) {
        case create: text = " " + below(reader.text()); break;
        case create2:
        case create_container:
        case create_ttl:
            text = " " + below(reader.text());
            text += stat(reader);
            break;
        case exists:
        case set:
        case set_acl: text = stat(reader); break;
        case get:
            text = " '" + reader.text() + "'";
            text += stat(reader);
            break;
        case get_acl:
            for (const auto& entry : reader.acl())
                text += " " + std::to_string(static_cast<int>(entry.permissions)) + ":" + entry.scheme + ":" + entry.id;
            text += stat(reader);
            break;
        case children:
        case get_ephemerals: text = list(reader); break;
        case children2:
            text = list(reader);
            text += stat(reader);
            break;
        case sync_path: text = " " + below(reader.text()); break;
        case all_children_number: text = " " + std::to_string(reader.number()); break;
        case who_am_i:
            for (auto left = reader.number(); left > 0; --left) {
                text += " " + reader.text();
                text += ":" + reader.text();
            }
            break;
        case multi: text = operations(reader); break;
        default:
            if (!body.empty()) text = " " + std::to_string(body.size()) + " bytes";
            return text;
        }
        if (!reader.ok()) text += " (the reply is too short)";
        if (!reader.at_end()) text += " (the reply is too long)";
        return text;
    }

    std::string operations(JuteReader& reader) {
        std::string text;
        while (reader.ok()) {
            const std::int32_t kind = reader.number();
            const bool end = reader.flag();
            const std::int32_t error = reader.number();
            text += "; " + std::to_string(kind) + " " + std::to_string(error);
            if (end) break;
            if (kind == -1) text += " " + std::to_string(reader.number());
            else if (kind == create) text += " " + below(reader.text());
            else if (kind == set) text += stat(reader);
        }
        return text;
    }

    const std::uint16_t port_;
    const std::string base_;
    std::map<std::string, Wire> wires_;
    std::vector<std::string> lines_;
};

struct WireScript {
    std::string name;
    void (*play)(Wires&);
};

void PrintTo(const WireScript& script, std::ostream* out) {
    *out << script.name;
}

/// A body that ends too early, for each kind of request.
void send_short(Wires& wires, std::int32_t operation) {
    wires.connect("short");
    wires.ask("short", operation, "");
    wires.ask("short", ping, "", -2);
    wires.connect("shorter");
    wires.ask("shorter", operation, wire(100) + "/");
    wires.ask("shorter", ping, "", -2);
}

std::string operation_header(std::int32_t kind, bool end = false) {
    return JuteWriter().number(kind).flag(end).number(-1).take();
}

const std::vector<WireScript>& wire_scripts() {
    static const std::vector<WireScript> all{
        {"WatchesAreSetAgainAfterAReconnect",
         [](Wires& wires) {
             wires.connect("a");
             wires.connect("b");
             for (const char* node : {"", "/changed", "/removed", "/same", "/parent", "/with_child"})
                 wires.ask("a", create, create_body(wires.path(node)));
             wires.ask("a", get, read_body(wires.path("/same"), true));
             const auto seen = wires.seen("a");
             wires.drop("a");
             wires.ask("b", set, set_body(wires.path("/changed"), "1"));
             wires.ask("b", remove_node, numbered_body(wires.path("/removed"), -1));
             wires.ask("b", create, create_body(wires.path("/new")));
             wires.ask("b", create, create_body(wires.path("/with_child/x")));
             wires.connect("a");
             const auto paths = [&](std::vector<std::string> below) {
                 for (auto& each : below) each = wires.path(each);
                 return JuteWriter().texts(below).take();
             };
             wires.ask("a", set_watches,
                       wire_long(seen) + paths({"/changed", "/removed", "/same", "/parent"}) + paths({"/new", "/later"}) +
                           paths({"/with_child", "/removed", "/parent"}),
                       -8);
             for (const char* node : {"/same", "/changed", "/parent"}) wires.ask("b", set, set_body(wires.path(node), "2"));
             wires.ask("b", create, create_body(wires.path("/later")));
             wires.ask("b", create, create_body(wires.path("/parent/x")));
             wires.ask("b", create, create_body(wires.path("/with_child/y")));
             wires.ask("a", sync_path, wire_text(wires.path("")));
         }},
        {"PersistentWatchesAreSetAgain",
         [](Wires& wires) {
             wires.connect("a");
             wires.ask("a", create, create_body(wires.path("")));
             wires.ask("a", create, create_body(wires.path("/deep")));
             const std::vector<std::string> none;
             wires.ask("a", set_watches2,
                       JuteWriter()
                           .long_number(wires.seen("a"))
                           .texts(none)
                           .texts(none)
                           .texts(none)
                           .texts({wires.path("")})
                           .texts({wires.path("/deep")})
                           .take(),
                       -8);
             wires.ask("a", set, set_body(wires.path(""), "1"));
             wires.ask("a", create, create_body(wires.path("/deep/x")));
             wires.ask("a", set, set_body(wires.path("/deep/x"), "1"));
             wires.ask("a", set, set_body(wires.path("/deep"), "1"));
             wires.ask("a", remove_node, numbered_body(wires.path("/deep/x"), -1));
             wires.ask("a", remove_node, numbered_body(wires.path("/deep"), -1));
         }},
        {"PersistentWatches",
         [](Wires& wires) {
             wires.connect("a");
             wires.ask("a", create, create_body(wires.path("")));
             wires.ask("a", add_watch, numbered_body(wires.path("/x"), 0));
             wires.ask("a", add_watch, numbered_body(wires.path("/r"), 1));
             for (const char* node : {"/x", "/x/y", "/r", "/r/y", "/r/y/z"})
                 wires.ask("a", create, create_body(wires.path(node)));
             for (const char* node : {"/x", "/x/y", "/r", "/r/y/z", "/x"}) wires.ask("a", set, set_body(wires.path(node), "1"));
             for (const char* node : {"/r/y/z", "/r/y", "/r", "/x/y", "/x"})
                 wires.ask("a", remove_node, numbered_body(wires.path(node), -1));
             wires.ask("a", create, create_body(wires.path("/x")));
             wires.ask("a", add_watch, numbered_body(wires.path("/x"), 2));
         }},
        {"WatchesAreCheckedAndRemoved",
         [](Wires& wires) {
             wires.connect("a");
             wires.ask("a", create, create_body(wires.path("")));
             wires.ask("a", get, read_body(wires.path(""), true));
             wires.ask("a", children, read_body(wires.path(""), true));
             wires.ask("a", exists, read_body(wires.path("/x"), true));
             for (const std::int32_t type : {1, 2, 3})
                 for (const char* node : {"", "/x", "/y"}) wires.ask("a", check_watches, numbered_body(wires.path(node), type));
             wires.ask("a", remove_watches, numbered_body(wires.path(""), 1));
             wires.ask("a", create, create_body(wires.path("/y")));
             wires.ask("a", remove_watches, numbered_body(wires.path(""), 1));
             wires.ask("a", remove_watches, numbered_body(wires.path(""), 3));
             wires.ask("a", set, set_body(wires.path(""), "1"));
             wires.ask("a", remove_watches, numbered_body(wires.path("/x"), 2));
             wires.ask("a", create, create_body(wires.path("/x")));
         }},
        {"RarerRequests",
         [](Wires& wires) {
             wires.connect("a");
             wires.connect("b");
             wires.ask("a", create2, create_body(wires.path("")));
             wires.ask("a", create_ttl, create_body(wires.path("/ttl"), "", with_ttl) + wire_long(100'000));
             wires.ask("a", create_container, create_body(wires.path("/container"), "", container));
             wires.ask("a", create2, create_body(wires.path("/e"), "", ephemeral));
             wires.ask("b", create2, create_body(wires.path("/f"), "", ephemeral));
             wires.ask("a", create, create_body(wires.path("/container/x")));
             wires.ask("a", get_ephemerals, wire_text(wires.path("")));
             wires.ask("a", get_ephemerals, wire_text(wires.path("/f")));
             wires.ask("a", all_children_number, wire_text(wires.path("")));
             wires.ask("a", all_children_number, wire_text(wires.path("/none")));
             wires.ask("a", children2, read_body(wires.path("")));
             wires.ask("a", ping, "", -2);
             wires.ask("a", sync_path, wire_text(wires.path("/none")));
             wires.ask("a", close_session, "");
             wires.ask("b", children2, read_body(wires.path("")));
         }},
        {"Authentication",
         [](Wires& wires) {
             wires.connect("a");
             wires.ask("a", create, create_body(wires.path("")));
             wires.ask("a", auth, wire(0) + wire_text("digest") + wire_text("me:secret"), -4);
             wires.ask("a", create, create_body(wires.path("/x"), "", persistent, {{Permission::all, "auth", ""}}));
             wires.ask("a", get_acl, wire_text(wires.path("/x")));
             wires.connect("b");
             wires.ask("b", get, read_body(wires.path("/x")));
             wires.ask("b", get_acl, wire_text(wires.path("/x")));
             wires.ask("b", auth, wire(0) + wire_text("nonsense") + wire_text("me"), -4);
             wires.ask("b", ping, "", -2);
         }},
        {"WrongPaths",
         [](Wires& wires) {
             wires.connect("a");
             wires.ask("a", create, create_body(wires.path("")));
             for (const std::string& path : std::vector<std::string>{"", "x", wires.path("/"), wires.path("//x"),
                                                                     wires.path("/../x"), wires.path("/a\x01")}) {
                 wires.ask("a", create, create_body(path));
                 if (!path.empty()) wires.ask("a", get, read_body(path));
                 wires.ask("a", set, set_body(path, ""));
                 wires.ask("a", remove_node, numbered_body(path, -1));
                 if (!path.empty()) wires.ask("a", children, read_body(path)); // in ZooKeeper, an empty path reads the root
             }
             wires.ask("a", create, create_body("/"));
             wires.ask("a", remove_node, numbered_body("/", -1));
         }},
        {"WrongValues",
         [](Wires& wires) {
             wires.connect("a");
             wires.ask("a", create, create_body(wires.path("")));
             wires.ask("a", create, create_body(wires.path("/mode"), "", 99));
             wires.ask("a", create, create_body(wires.path("/mode"), "", -1));
             wires.ask("a", create, create_body(wires.path("/acl"), "", persistent, {}));
             wires.ask("a", create, create_body(wires.path("/acl"), "", persistent, {{Permission::all, "nonsense", "x"}}));
             wires.ask("a", create, create_body(wires.path("/acl"), "", persistent, {{Permission::all, "auth", ""}}));
             wires.ask("a", create_ttl, create_body(wires.path("/ttl"), "", with_ttl) + wire_long(0));
             wires.ask("a", create_ttl, create_body(wires.path("/ttl"), "", with_ttl) + wire_long(-1));
             wires.ask("a", set, set_body(wires.path(""), "x", 7));
             wires.ask("a", children, read_body(wires.path("")));
         }},
        {"WrongTransactions",
         [](Wires& wires) {
             wires.connect("a");
             wires.ask("a", create, create_body(wires.path("")));
             wires.ask("a", multi, operation_header(-1, true));
             wires.ask("a", multi,
                       operation_header(create) + create_body(wires.path("/x")) + operation_header(create) +
                           create_body(wires.path("/x")) + operation_header(-1, true));
             wires.ask("a", multi,
                       operation_header(create) + create_body(wires.path("/x")) + operation_header(set) +
                           set_body(wires.path("/x"), "1") + operation_header(check) + numbered_body(wires.path("/x"), 1) +
                           operation_header(remove_node) + numbered_body(wires.path("/x"), -1) + operation_header(-1, true));
             wires.ask("a", children, read_body(wires.path("")));
         }},
        {"UnknownRequests",
         [](Wires& wires) {
             for (const std::int32_t operation : {99, -3, 1000, 10, 23}) {
                 wires.connect("a" + std::to_string(operation));
                 wires.ask("a" + std::to_string(operation), operation, "");
             }
         }},
        {"BodiesThatEndTooEarly",
         [](Wires& wires) {
             for (const std::int32_t operation :
                  {create, remove_node, exists, get, set, set_acl, children2, sync_path, multi, auth, add_watch, set_watches,
                   get_ephemerals, all_children_number, check_watches}) {
                 send_short(wires, operation);
             }
         }},
        {"FramesThatAreNone",
         [](Wires& wires) {
             wires.connect("negative");
             wires.send("negative", wire(-1));
             wires.connect("huge");
             wires.send("huge", wire(0x7fff'ffff));
             wires.connect("large");
             wires.send("large", wire(2 * 1024 * 1024));
             wires.connect_only("early");
             wires.send("early", wire_frame(wire(-2) + wire(ping)));
             wires.connect_only("nothing");
             wires.send("nothing", wire_frame(""));
         }},
        {"SessionsOfOthers",
         [](Wires& wires) {
             wires.connect("a");
             wires.ask("a", create, create_body(wires.path("")));
             wires.drop("a");
             wires.connect("a", std::string(16, 'x'));
             wires.connect("a");
             wires.ask("a", exists, read_body(wires.path("")));
         }},
    };
    return all;
}

/// As one text, so that a failure shows the lines that differ.
std::string transcript_of(std::uint16_t port, const WireScript& script) {
    Wires wires(port, "/" + script.name);
    script.play(wires);
    std::string text;
    for (const auto& line : wires.end()) text += line + '\n';
    return text;
}

class Protocol : public ::testing::TestWithParam<WireScript> {};

TEST_P(Protocol, MemoryServerAnswersAsTheServer) {
    const auto expected = transcript_of(real_server().port(), GetParam());
    const testing::MemoryServer server({.extended_types = true});
    EXPECT_EQ(transcript_of(server.port(), GetParam()), expected);
}

INSTANTIATE_TEST_SUITE_P(Scripts, Protocol, ::testing::ValuesIn(wire_scripts()),
                         [](const auto& each) { return each.param.name; });

} // namespace
} // namespace docent::conformance::protocol
