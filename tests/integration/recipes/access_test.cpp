// SPDX-License-Identifier: Apache-2.0

// Locks that an ACL provider restricts: a client without the credentials cannot use them, and credentials are never shown.

#include "clients.hpp"
#include "heard.hpp"
#include "servers/any_server.hpp"

#include <docent/docent.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <tuple>

namespace docent {
namespace {

using namespace std::chrono_literals;

/// Records everything that a tracer is told.
struct Listener : Tracer {
    void on_operation(const OperationTrace& trace) override {
        heard.add(std::string(trace.name) + ' ' + std::string(trace.path) + ' ' + trace.ec.message());
    }
    void on_session_event(const SessionEvent& event) override {
        heard.add(std::string(to_string(event.state)) + ' ' + event.reason.message());
    }

    test::Heard<std::string> heard;
};

struct ForTheTeam : AclProvider {
    Acl acl_for(const std::string& path) override {
        if (path.starts_with("/locks")) return {{Permission::all, "digest", "team:mdhz9mZ933Vz8RV6U9bAJnrL0wk="}};
        return {};
    }
};

class AccessTest : public ::testing::Test {
protected:
    docent::test::AnyServer server;
    std::shared_ptr<Listener> listener = std::make_shared<Listener>();
    Client member{config("team:hunter2")};
    Client colleague{config("team:hunter2")};
    Client stranger{config("")};           // no credentials
    Client impostor{config("team:guess")}; // credentials with the right name and a wrong password
    Lease lease;

    void SetUp() override {
        for (Client* client : {&member, &colleague, &stranger, &impostor}) client->start();
        lease = InterProcessMutex(member, "/locks/job").acquire();
        auto permit = InterProcessSemaphore(member, "/locks/seats", 2).acquire(); // makes the semaphore's nodes
    }
    ClientConfig config(const std::string& password) const {
        ClientConfig result{
            .connect_string = server.connect_string(), .acl_provider = std::make_shared<ForTheTeam>(), .tracer = listener};
        if (!password.empty()) result.auth = {{"digest", password}};
        return result;
    }
};

using Verb = std::function<void(Client&, error_code&)>;

TEST_F(AccessTest, WithoutTheCredentialsNothingIsPermitted) {
    const std::string node = lease.node_path();
    const CallOptions soon{.timeout = 20s};
    const std::map<std::string, Verb> verbs = {
        {"join", [&](Client& c, error_code& ec) { std::ignore = InterProcessMutex(c, "/locks/job").acquire(ec, soon); }},
        {"try to join",
         [&](Client& c, error_code& ec) { std::ignore = InterProcessMutex(c, "/locks/job").try_acquire(ec, soon); }},
        {"join readers",
         [&](Client& c, error_code& ec) {
             std::ignore = InterProcessReadWriteLock(c, "/locks/job").read_lock().acquire(ec, soon);
         }},
        {"join writers",
         [&](Client& c, error_code& ec) {
             std::ignore = InterProcessReadWriteLock(c, "/locks/job").write_lock().acquire(ec, soon);
         }},
        {"join a semaphore",
         [&](Client& c, error_code& ec) { std::ignore = InterProcessSemaphore(c, "/locks/seats", 2).acquire(ec, soon); }},
        {"release", [&](Client& c, error_code& ec) { c.remove(node, ec, soon); }},
        {"release all", [&](Client& c, error_code& ec) { c.remove("/locks", {.children = RemoveChildren::yes}, ec, soon); }},
        {"release in a transaction",
         [&](Client& c, error_code& ec) {
             Transaction transaction;
             transaction.remove(node);
             c.commit(transaction, ec, soon);
         }},
        {"revoke", [&](Client& c, error_code& ec) { revoke(c, node, ec, soon); }},
        {"inspect", [&](Client& c, error_code& ec) { inspect(c, "/locks/job", ec, soon); }},
        {"list", [&](Client& c, error_code& ec) { c.children("/locks", ec, soon); }},
        {"read", [&](Client& c, error_code& ec) { c.get(node, ec, soon); }},
        {"watch", [&](Client& c, error_code& ec) { c.get_watched(node, ec, soon); }},
        {"write", [&](Client& c, error_code& ec) { c.set(node, "mine", ec, soon); }},
        {"open it to everybody", [&](Client& c, error_code& ec) { c.set_acl(node, open_acl(), any_version, ec, soon); }},
        {"count", [&](Client& c, error_code& ec) { SharedCount(c, "/locks/count").start(ec, soon); }},
    };
    const std::string data = member.get(node).data;
    for (Client* client : {&stranger, &impostor}) {
        for (const auto& [what, verb] : verbs) {
            error_code ec;
            verb(*client, ec);
            EXPECT_EQ(ec, server_error::no_auth) << what << ": " << ec.message();
        }
    }
    EXPECT_EQ(make_error_code(server_error::no_auth).message(), "not permitted by the node's ACL");
    EXPECT_TRUE(lease.owns());
    EXPECT_EQ(member.get(node).data, data);
    EXPECT_EQ(member.children("/locks/job").names.size(), 1u) << "nobody has left anything there";
}

TEST_F(AccessTest, AReleaseThatTheServersForbidIsReported) {
    member.create("/held");
    member.set_acl("/held", {{Permission::read | Permission::create, "world", "anyone"}}); // without DELETE of children
    Lease held = InterProcessMutex(stranger, "/held").acquire();
    error_code ec;
    held.release(ec);
    EXPECT_EQ(ec, server_error::no_auth);
    EXPECT_FALSE(held.owns());
    EXPECT_EQ(member.children("/held").names.size(), 1U) << "others wait until the session ends";
}

TEST_F(AccessTest, WithThemAllOfItIs) {
    EXPECT_EQ(inspect(colleague, "/locks/job").participants.size(), 1u);
    EXPECT_FALSE(InterProcessMutex(colleague, "/locks/job").try_acquire());
    revoke(colleague, lease.node_path());
    lease.release();
    EXPECT_TRUE(InterProcessMutex(colleague, "/locks/job").try_acquire());
}

/// Servers before 3.8.4 and 3.9.2 return the Stat, too.
TEST_F(AccessTest, ThatANodeIsThereIsNoSecret) {
    error_code ec;
    const auto stat = stranger.exists(lease.node_path(), ec);
    EXPECT_TRUE(stat || ec == server_error::no_auth) << "that it is missing would be told as such";
    EXPECT_FALSE(stranger.exists("/locks/nothing"));
}

TEST_F(AccessTest, CredentialsAreNeverTold) {
    std::string told;
    const auto note = [&](const std::function<void()>& call) {
        try {
            call();
        } catch (const std::exception& e) {
            told += e.what() + std::string("\n");
        }
    };
    note([&] { stranger.get(lease.node_path()); });
    note([&] { member.get("/none"); });
    note([&] { std::ignore = InterProcessMutex(stranger, "/locks/job").acquire(); });
    note([&] { Client{{.connect_string = "::::", .auth = {{"digest", "team:hunter2"}}}}.start(); });
    Client refused =
        started({.connect_string = server.connect_string(), .auth = {{"nosuchscheme", "team:hunter2"}}, .tracer = listener});
    note([&] { refused.get("/", {}, {.timeout = 20s}); });
    told += refused.last_connect_error();
    server.stop();
    note([&] { member.get("/", {}, {.timeout = 100ms}); });
    told += member.last_connect_error();
    EXPECT_NE(told, "");
    auto texts = listener->heard.all();
    EXPECT_FALSE(texts.empty());
    texts.push_back(told);
    for (const auto& text : texts) {
        for (const char* secret : {"hunter2", "guess", "mdhz9mZ9"}) EXPECT_EQ(text.find(secret), std::string::npos) << text;
    }
}

} // namespace
} // namespace docent
