// SPDX-License-Identifier: Apache-2.0

// A moved-from object fails with an error and does not crash.

#include "clients.hpp"
#include "servers/any_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace docent {
namespace {

const std::string path = "/a";

/// A moved-from object and the object that it was moved to.
template <typename T> struct Moved {
    explicit Moved(T whole) : from(std::move(whole)), to(std::move(from)) {}
    T from;
    T to;
};

TEST(MovedFrom, ClientsAreClosed) {
    Moved<Client> moved{Client{{.connect_string = "127.0.0.1:1"}}};
    Client& client = moved.from;
    const std::vector<std::function<void(error_code&)>> blocking{
        [&](error_code& ec) { client.wait_connected(ec); },
        [&](error_code& ec) { client.create(path, ec); },
        [&](error_code& ec) { client.get(path, ec); },
        [&](error_code& ec) { client.get_watched(path, ec); },
        [&](error_code& ec) { client.set(path, "", ec); },
        [&](error_code& ec) { client.remove(path, ec); },
        [&](error_code& ec) { client.exists(path, ec); },
        [&](error_code& ec) { client.exists_watched(path, ec); },
        [&](error_code& ec) { client.children(path, ec); },
        [&](error_code& ec) { client.children_watched(path, ec); },
        [&](error_code& ec) { client.get_acl(path, ec); },
        [&](error_code& ec) { client.set_acl(path, open_acl(), ec); },
        [&](error_code& ec) { client.ensemble_config(ec); },
        [&](error_code& ec) { client.ensemble_config_watched(ec); },
        [&](error_code& ec) { client.reconfigure({}, ec); },
        [&](error_code& ec) { client.sync(path, ec); },
        [&](error_code& ec) { client.commit({}, ec); },
        [&](error_code& ec) { inspect(client, path, ec); },
        [&](error_code& ec) { revoke(client, "/a/lock-0000000000", ec); },
        [&](error_code& ec) { client.session_events().next(ec); },
    };
    for (std::size_t i = 0; i < blocking.size(); ++i) {
        error_code ec;
        blocking[i](ec);
        EXPECT_EQ(ec, error::closed) << i;
    }
    const std::vector<std::function<void()>> throwing{
        [&] { client.start(); },
        [&] { client.wait_connected(); },
        [&] { client.get(path); },
        [&] { static_cast<void>(client.in_namespace("a")); },
        [&] { client.async_create(path, "", CreateOptions{}, asio::use_future).get(); },
        [&] { client.async_get_watched(path, asio::use_future).get(); },
        [&] { client.async_set(path, "", asio::use_future).get(); },
        [&] { client.async_commit({}, asio::use_future).get(); },
        [&] { client.async_wait_connected(asio::use_future).get(); },
        [&] { async_inspect(client, path, asio::use_future).get(); },
        [&] { InterProcessMutex(client, path); },
        [&] { InterProcessReadWriteLock(client, path); },
        [&] { InterProcessSemaphore(client, path, 1); },
        [&] { InterProcessSemaphoreMutex(client, path); },
        [&] { SharedValue(client, path); },
        [&] { SharedCount(client, path); },
    };
    for (std::size_t i = 0; i < throwing.size(); ++i) EXPECT_EQ(failure_of(throwing[i]).code, error::closed) << i;
    EXPECT_EQ(client.session().state, SessionState::closed);
    EXPECT_EQ(client.last_connect_error(), "");
    EXPECT_FALSE(client.get_executor());
    const Subscription nobody = client.listen([](const SessionEvent&) {});
    client.remove_guaranteed(path);
    client.renew_session();
    client.close();
    client.async_close(asio::use_future).get();
}

TEST(MovedFrom, ThereIsNothingInTheOthers) {
    const docent::test::AnyServer server;
    Client first = started({.connect_string = server.connect_string()});
    Client client = std::move(first);
    error_code ec;

    Moved<SessionEvents> events(client.session_events());
    events.from.next(ec);
    EXPECT_EQ(ec, error::closed);
    EXPECT_EQ(failure_of([&] { events.from.async_next(asio::use_future).get(); }).code, error::closed);
    EXPECT_NO_THROW(events.to.next());

    Moved<Watch> watch(std::move(client.exists_watched(path).watch));
    watch.from.wait(ec);
    EXPECT_EQ(ec, error::closed);
    EXPECT_EQ(failure_of([&] { watch.from.async_wait(asio::use_future).get(); }).code, error::closed);
    client.create(path);
    EXPECT_EQ(watch.to.wait().type, WatchEventType::created);

    Moved<Lease> lease(InterProcessMutex(client, "/lock").acquire());
    EXPECT_FALSE(lease.from.owns());
    EXPECT_EQ(lease.from.state(), LeaseState::released);
    EXPECT_EQ(lease.from.node_path() + lease.from.data(), "");
    EXPECT_EQ(lease.from.fencing_token(), 0);
    lease.from.make_revocable([] {});
    lease.from.release();
    lease.from.async_release(asio::use_future).get();
    EXPECT_EQ(failure_of([&] { lease.from.wait_lost(); }).code, asio::error::operation_aborted);
    EXPECT_EQ(failure_of([&] { lease.from.async_wait_lost(asio::use_future).get(); }).code, asio::error::operation_aborted);
    EXPECT_EQ(failure_of([&] { std::ignore = lease.from.downgrade(); }).code, error::lease_lost);
    EXPECT_EQ(failure_of([&] { std::ignore = lease.from.async_downgrade(asio::use_future).get(); }).code, error::lease_lost);
    EXPECT_TRUE(lease.to.owns());

    Moved<MultiLease> leases(InterProcessMultiLock(client, {"/x", "/y"}).acquire());
    EXPECT_FALSE(leases.from);
    EXPECT_FALSE(leases.from.owns());
    leases.from.release();
    leases.from.async_release(asio::use_future).get();
    EXPECT_TRUE(leases.from.failures().empty());
    EXPECT_TRUE(leases.to.owns());

    Moved<LockMember> member(LockMember(InterProcessMutex(client, "/m")));
    EXPECT_EQ(member.from.path(), "");
    EXPECT_EQ(failure_of([&] { InterProcessMultiLock({member.from, member.to}); }).code, server_error::bad_arguments);
}

TEST(MovedFrom, AClientThatIsAssignedToIsClosedFirst) {
    const docent::test::AnyServer server;
    Client one = started({.connect_string = server.connect_string()});
    one.create("/e", "", {.mode = CreateMode::ephemeral});
    Client other = started({.connect_string = server.connect_string()});
    one = std::move(other);
    EXPECT_FALSE(one.exists("/e"));
}

TEST(MovedFrom, AClientThatIsAssignedToAViewEndsWithIt) {
    const Client parent{{.connect_string = "127.0.0.1:1"}};
    Client owner{{.connect_string = "127.0.0.1:1"}};
    const Client another_view = owner.in_namespace("b");
    {
        Client view = parent.in_namespace("a");
        view = std::move(owner);
        EXPECT_NE(another_view.session().state, SessionState::closed);
    }
    EXPECT_EQ(another_view.session().state, SessionState::closed);
}

TEST(MovedFrom, AReadOfEventsThatAreAssignedToEnds) {
    Client client{{.connect_string = "127.0.0.1:1"}};
    SessionEvents events = client.session_events();
    events.next(); // the present state
    auto read = events.async_next(asio::use_future);
    events = client.session_events();
    ASSERT_EQ(read.wait_for(std::chrono::minutes{1}), std::future_status::ready);
    EXPECT_EQ(failure_of([&] { read.get(); }).code, asio::error::operation_aborted);
}

} // namespace
} // namespace docent
