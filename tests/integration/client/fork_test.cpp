// SPDX-License-Identifier: Apache-2.0

// A child of fork() may use a copy of its parent's client without any effect on the parent or on a server.

#include "clients.hpp"
#include "ended_waits.hpp"
#include "eventually.hpp"
#include "names_in.hpp"
#include "posix/spawn.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/cache/node_cache.hpp>
#include <docent/recipes/inter_process_multi_lock.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>
#include <docent/recipes/inter_process_semaphore_mutex.hpp>
#include <docent/recipes/leader/leader_selector.hpp>
#include <docent/recipes/leader_latch.hpp>
#include <docent/recipes/partitioner.hpp>
#include <docent/recipes/persistent_node.hpp>
#include <docent/recipes/shared_value.hpp>
#include <docent/testing/testing_server.hpp>

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

namespace {
bool is_child = false;
} // namespace

/// LeakSanitizer asks this: in a child, memory that only the stacks of the parent's other threads refer to would be reported as
/// leaked.
extern "C" int __lsan_is_turned_off() { // NOLINT(bugprone-reserved-identifier)
    return is_child ? 1 : 0;
}

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::AnyServer;
using docent::test::eventually;
using docent::test::wait_for_stop;
using docent::testing::TestingServer;

enum class Thread {
    own,     // the client's thread
    user,    // a thread of an io_context that is not told of the fork
    notified // the same, and notify_fork() is called
};

/// An io_context with a thread that runs it.
class RunContext {
public:
    RunContext() { run(); }
    ~RunContext() { stop(); }
    RunContext(const RunContext&) = delete;
    RunContext& operator=(const RunContext&) = delete;

    asio::io_context& context() { return *context_; }
    void run() {
        context_->restart();
        thread_ = std::thread([this] { context_->run(); });
    }
    void stop() {
        context_->stop();
        thread_.join();
    }
    /// For the child, where the thread does not exist.
    void destroy_context() {
        work_.reset();
        context_.reset();
    }

private:
    std::unique_ptr<asio::io_context> context_ = std::make_unique<asio::io_context>(1);
    asio::executor_work_guard<asio::io_context::executor_type> work_{context_->get_executor()};
    std::thread thread_;
};

#ifdef DOCENT_SANITIZED
/// Whether this thread is the only one that runs. Then no other thread holds a lock of the sanitizer's allocator, which would
/// stay locked in a child for ever. (The C library frees the locks of its own allocator in a child.)
bool runs_alone() {
    for (const std::string& thread : docent::test::names_in("/proc/self/task")) {
        if (thread == std::to_string(::gettid())) continue;
        std::ifstream file("/proc/self/task/" + thread + "/stat");
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const auto name_end = text.rfind(')'); // of `1234 (name) S ...`
        if (name_end == std::string::npos || text.compare(name_end, 3, ") S") != 0) return false;
    }
    return true;
}
#endif

/// Destroyed at the end of the process, as objects of static storage duration are.
std::shared_ptr<void> ends_at_exit;

/// For the child: reports failed checks by the exit status.
class Findings {
public:
    void expect(bool condition, const char* what) {
        if (condition) return;
        std::fprintf(stderr, "in the child, this does not hold: %s\n", what);
        ++failed_;
    }
    template <typename Function> void expect_refused(Function function, const char* what) {
        error_code ec;
        function(ec);
        expect(ec == error::other_process, what);
        if (ec != error::other_process) std::fprintf(stderr, "  but: %s\n", ec.message().c_str());
    }
    int status() const { return failed_ == 0 ? EXIT_SUCCESS : EXIT_FAILURE; }

private:
    int failed_ = 0;
};

struct ForkServer {
    AnyServer server;
    ClientConfig config() const { return {.connect_string = server.connect_string(), .session_timeout = 10s}; }
};

/// A server with TLS. Its clients have so long a session timeout that they keep their connections on a busy machine. The server
/// keeps empty containers, as AnyServer does.
struct ForkTlsServer {
    TestingServer server{{.tick_time = 2s, .tls = true, .java_options = {"-Dznode.container.checkIntervalMs=86400000"}}};
    ClientConfig config() const {
        return {.connect_string = server.tls_connect_string(),
                .session_timeout = 40s,
                .connection_timeout = 60s,
                .tls = server.tls_config()};
    }
};

/// A client that holds a lock, and a second client that watches the lock and waits for it.
template <typename Server> class ForkWith : public ::testing::TestWithParam<Thread> {
protected:
    Server server_;
    ClientConfig config_ = server_.config();
    Client watcher_{config_};
    std::unique_ptr<RunContext> context_;
    std::unique_ptr<Client> client_;
    std::unique_ptr<InterProcessMutex> mutex_;
    std::optional<Lease> lease_;
    std::future<Lease> next_;

    void SetUp() override {
        watcher_.start();
        if (GetParam() == Thread::own) {
            client_ = std::make_unique<Client>(config_);
        } else {
            context_ = std::make_unique<RunContext>();
            client_ = std::make_unique<Client>(context_->context().get_executor(), config_);
        }
        client_->start();
        client_->create("/n");
        mutex_ = std::make_unique<InterProcessMutex>(*client_, "/lock");
        lease_ = mutex_->acquire();
        next_ = InterProcessMutex(watcher_, "/lock").async_acquire(asio::use_future);
        ASSERT_TRUE(eventually([&] { return watcher_.children("/lock").names.size() == 2; }));
    }

    void TearDown() override {
        // The parent is unaffected: events wake it, it gets answers, it holds its lock.
        auto seen = client_->get_watched("/n");
        watcher_.set("/n", "told");
        EXPECT_EQ(seen.watch.wait({.timeout = generous}).type, WatchEventType::data_changed);
        EXPECT_EQ(client_->get("/n").data, "told");
        EXPECT_EQ(next_.wait_for(0ms), std::future_status::timeout) << "somebody else has the lock of the parent";
        lease_->release();
        EXPECT_TRUE(next_.get().owns());
        client_.reset();
    }

    /// Runs `body` in a child until the child ends, and checks the parent's lock meanwhile.
    void in_child(const std::function<void(Findings&)>& body) {
        const bool notifies = GetParam() == Thread::notified;
        if (notifies) {
            context_->stop(); // notify_fork() must not be called while a thread runs the context
            context_->context().notify_fork(asio::io_context::fork_prepare);
        }
#ifdef DOCENT_SANITIZED
        ASSERT_TRUE(eventually(runs_alone));
#endif
        const pid_t child = posix::fork_child([&](const sigset_t&) {
            is_child = true;
            Findings findings;
            if (notifies) {
                context_->context().notify_fork(asio::io_context::fork_child);
                context_->context().restart();
                context_->context().run_for(50ms);
            }
            body(findings);
            if (notifies) context_->context().run_for(50ms);
            std::_Exit(findings.status());
        });
        if (notifies) {
            context_->context().notify_fork(asio::io_context::fork_parent);
            context_->run();
        }
        int status = -1;
        bool keeps_lock = true;
        const bool has_ended = eventually([&] {
            keeps_lock = keeps_lock && lease_->owns() && watcher_.exists(lease_->node_path()).has_value();
            return ::waitpid(child, &status, WNOHANG) == child;
        });
        if (!has_ended) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
        }
        EXPECT_TRUE(has_ended) << "the child hangs";
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) << "wait status " << status;
        EXPECT_TRUE(keeps_lock) << "the parent has lost its lock by what the child did";
        EXPECT_TRUE(watcher_.exists(lease_->node_path()).has_value());
        EXPECT_TRUE(lease_->owns());
    }

    // What children do.

    [[noreturn]] void exit_with_client() {
        ends_at_exit = std::move(client_);
        std::exit(EXIT_SUCCESS);
    }
    [[noreturn]] void leave_all_scopes() {
        lease_.reset();
        mutex_.reset();
        client_.reset();
        if (context_) context_->destroy_context();
        std::exit(EXIT_SUCCESS);
    }
    void close_client(Findings& found) {
        client_->close();
        found.expect(client_->session().state == SessionState::closed, "the session is none of the child's");
        found.expect_refused([this](error_code& ec) { client_->get("/n", ec); }, "get() is refused");
    }
    void use_new_client(Findings& found) const {
        Client client = started(config_);
        client.set("/n", "by the child");
        found.expect(client.get("/n").data == "by the child", "it reads and writes");
        InterProcessMutex other(client, "/of the child");
        const Lease lease = other.acquire();
        found.expect(lease.owns(), "it has a lock of its own");
        found.expect(!InterProcessMutex(client, "/lock").try_acquire(), "it does not get its parent's");
    }
};

class Fork : public ForkWith<ForkServer> {};
class ForkThroughTls : public ForkWith<ForkTlsServer> {};

TEST_P(Fork, ExitLeavesTheParentItsLock) {
    in_child([this](const Findings&) { exit_with_client(); });
}

TEST_P(Fork, ExitWithoutDestructorsLeavesTheParentItsLock) {
    in_child([](const Findings&) { std::_Exit(EXIT_SUCCESS); });
}

TEST_P(Fork, FailedExecLeavesTheParentItsLock) {
    in_child([this](const Findings&) {
        ends_at_exit = std::move(client_);
        ::execl("/no/such/program", "program", nullptr);
        std::exit(EXIT_SUCCESS);
    });
}

TEST_P(Fork, ReturningThroughTheScopesOfAllObjectsLeavesTheParentItsLock) {
    in_child([this](const Findings&) { leave_all_scopes(); });
}

TEST_P(Fork, ExceptionThatEndsAllObjectsLeavesTheParentItsLock) {
    in_child([this](const Findings&) {
        try {
            const Client client = std::move(*client_);
            const Lease lease = std::move(*lease_);
            throw std::runtime_error("ends both");
        } catch (const std::runtime_error&) {
            std::exit(EXIT_SUCCESS);
        }
    });
}

TEST_P(Fork, DestroyedLeaseLeavesTheParentItsLock) {
    in_child([this](const Findings&) { lease_.reset(); });
}

TEST_P(Fork, ReplacedLeaseAndClientLeaveTheParentItsLock) {
    in_child([this](const Findings&) {
        *lease_ = Lease{};
        *client_ = Client{config_};
    });
}

TEST_P(Fork, CloseDoesNothing) {
    in_child([this](Findings& found) { close_client(found); });
}

TEST_P(Fork, CallsOfTheClientAreRefused) {
    in_child([this](Findings& found) {
        found.expect_refused([this](error_code& ec) { client_->get("/n", ec); }, "get() is refused");
        found.expect_refused([this](error_code& ec) { client_->set("/n", "by the child", ec); }, "set() is refused");
        found.expect_refused([this](error_code& ec) { client_->create("/child", ec); }, "create() is refused");
        found.expect_refused([this](error_code& ec) { client_->remove("/n", ec); }, "remove() is refused");
        found.expect_refused([this](error_code& ec) { client_->get_watched("/n", ec); }, "get_watched() is refused");
        found.expect_refused([this](error_code& ec) { client_->commit(Transaction().create("/child"), ec); },
                             "commit() is refused");
        found.expect_refused([this](error_code& ec) { client_->wait_connected(ec); }, "wait_connected() is refused");
        found.expect_refused([this](error_code& ec) { client_->session_events().next(ec); }, "no event comes");
        const auto refused = [&](const auto& function, const char* what) {
            found.expect_refused([&](error_code& ec) { ec = failure_of(function).code; }, what);
        };
        refused([this] { client_->start(); }, "start() throws");
        refused([this] { static_cast<void>(client_->in_namespace("other")); }, "no view can be made");
        refused([this] { InterProcessMutex(*client_, "/lock"); }, "no lock can be made");
        client_->renew_session();
        client_->remove_guaranteed("/n");
        found.expect(client_->last_connect_error().find("fork()") != std::string::npos, "the text tells what to do");
        const auto none = client_->listen([](const SessionEvent&) {});
    });
}

TEST_P(Fork, AsynchronousCallsCompleteWithTheError) {
    in_child([this](Findings& found) {
        std::thread runs;
        if (GetParam() == Thread::user) { // the context was not told of the fork, so it must not run here
            client_->async_get("/n", [](error_code, const NodeData&) {});
            return;
        }
        if (GetParam() == Thread::notified) runs = std::thread([this] { context_->context().run_for(10s); });
        std::promise<error_code> told;
        client_->async_get("/n", [&](error_code ec, const NodeData&) { told.set_value(ec); });
        found.expect_refused([&](error_code& ec) { ec = told.get_future().get(); }, "async_get() is refused");
        std::promise<error_code> released;
        lease_->async_release([&](error_code ec) { released.set_value(ec); });
        found.expect_refused([&](error_code& ec) { ec = released.get_future().get(); }, "async_release() is refused");
        context_ ? context_->context().stop() : void();
        if (runs.joinable()) runs.join();
    });
}

TEST_P(Fork, LeaseIsNotTheChilds) {
    in_child([this](Findings& found) {
        found.expect(!lease_->owns(), "owns() says no");
        found.expect(lease_->state() == LeaseState::lost, "it is lost");
        found.expect(lease_->remaining() == 0ns, "nothing remains");
        found.expect(lease_->fencing_token() > 0, "what it was can be read");
        found.expect_refused([this](error_code& ec) { lease_->release(ec); }, "release() is refused");
        found.expect_refused([this](error_code& ec) { lease_->extend(1h, ec); }, "extend() is refused");
        found.expect_refused([this](error_code& ec) { lease_->wait_lost(ec); }, "wait_lost() is refused");
        lease_->make_revocable([] {});
        lease_->keep_node_when_lost();
    });
}

TEST_P(Fork, LocksAreRefusedAndGuardsGoOutOfScope) {
    InterProcessMutex mutex(*client_, "/other");
    InterProcessSemaphoreMutex semaphore(*client_, "/semaphore");
    std::unique_lock guard(mutex);
    std::unique_lock second(semaphore);
    in_child([&](Findings& found) {
        found.expect(!mutex.is_owned_by_current_thread() && !semaphore.is_locked(), "the child holds no lock");
        guard.unlock();
        second.unlock();
        found.expect_refused([&](error_code& ec) { std::ignore = mutex.acquire(ec); }, "acquire() is refused");
        found.expect_refused([&](error_code& ec) { std::ignore = mutex.try_acquire(ec); }, "try_acquire() is refused");
        found.expect_refused([&](error_code& ec) { ec = failure_of([&] { guard.lock(); }).code; }, "lock() throws");
    });
    EXPECT_TRUE(mutex.is_owned_by_current_thread());
    EXPECT_TRUE(semaphore.is_locked());
}

/// A process enters a kept node without a request to the server.
TEST_P(Fork, KeptNodeIsNotEntered) {
    InterProcessMutex kept(*client_, "/kept", {.keep_for = 1h});
    kept.acquire().release();
    Lease held = kept.acquire();
    in_child([&](Findings& found) {
        found.expect(!held.owns(), "the parent's hold is not the child's");
        found.expect_refused([&](error_code& ec) { held.release(ec); }, "its release is refused");
        held = Lease{};
        found.expect_refused([&](error_code& ec) { std::ignore = kept.acquire(ec); }, "the node is not entered");
    });
    EXPECT_TRUE(held.owns());
    held.release();
    EXPECT_TRUE(kept.acquire().owns());
}

TEST_P(Fork, OtherObjectsEndWithoutANotice) {
    auto latch = std::make_optional<LeaderLatch>(*client_, "/latch");
    latch->start();
    latch->await_leadership();
    auto selector = std::make_optional<LeaderSelector>(*client_, "/selector", [](const Lease& lead) { wait_for_stop(lead); });
    selector->start();
    ASSERT_TRUE(eventually([&] { return selector->has_leadership(); }));
    auto partitioner = std::make_optional<Partitioner>(*client_, "/partition", numbered_items(2),
                                                       [](const std::string&, const Lease& lease) { wait_for_stop(lease); });
    partitioner->start();
    ASSERT_TRUE(eventually([&] { return partitioner->owned().size() == 2; }));
    bool destroyed = false; // the function of the assignment
    auto captured = std::shared_ptr<void>(nullptr, [&destroyed](void*) { destroyed = true; });
    auto assigned = std::make_optional<Partitioner>(
        *client_, "/assigned", numbered_items(2),
        Partitioner::Assignment([captured = std::move(captured)](const std::vector<std::string>&) {}));
    assigned->start();
    auto cache = std::make_optional<NodeCache>(*client_, "/n");
    cache->start();
    auto node = std::make_optional<PersistentNode>(*client_, "/persistent");
    const std::string node_path = node->await_node();
    auto value = std::make_optional<SharedValue>(*client_, "/value", "seed");
    value->start();
    auto watched = std::make_optional(client_->get_watched("/n"));
    auto events = std::make_optional(client_->session_events());
    auto several = std::make_optional(InterProcessMultiLock(*client_, {"/several/a", "/several/b"}).acquire());
    auto permit = std::make_optional(InterProcessSemaphore(*client_, "/permits", 2).acquire());
    std::atomic<int> heard = 0;
    auto subscription = std::make_optional(client_->listen([&](const SessionEvent&) { ++heard; }));
    in_child([&](Findings& found) {
        found.expect(!latch->has_leadership() && !selector->has_leadership(), "the child does not lead");
        found.expect(partitioner->owned().empty(), "the child owns no item");
        found.expect_refused([&](error_code& ec) { partitioner->close(ec); }, "the partitioner's close() is refused");
        found.expect(!several->owns() && !permit->owns(), "the child holds nothing");
        found.expect(!cache->whole() && cache->get() == nullptr, "the cache shows nothing in the child");
        found.expect_refused([&](error_code& ec) { latch->close(LatchClose::silently, ec); }, "the latch's close() is refused");
        found.expect_refused([&](error_code& ec) { several->release(ec); }, "the release of several locks is refused");
        found.expect_refused([&](error_code& ec) { watched->watch.wait(ec); }, "the watch's wait() is refused");
        subscription.reset();
        permit.reset();
        several.reset();
        events.reset();
        watched.reset();
        value.reset();
        node.reset();
        cache.reset();
        assigned.reset();
        found.expect(!destroyed, "the child destroys no function of the user");
        partitioner.reset();
        selector.reset();
        latch.reset();
    });
    EXPECT_TRUE(latch->has_leadership() && selector->has_leadership());
    EXPECT_EQ(partitioner->owned().size(), 2u);
    EXPECT_TRUE(several->owns() && permit->owns());
    EXPECT_TRUE(eventually([&] { return cache->whole() && cache->get(); }));
    EXPECT_TRUE(watcher_.exists(node_path).has_value());
    value->set("by the parent");
    EXPECT_EQ(value->get().value, "by the parent");
    EXPECT_EQ(heard, 0);
    partitioner->close();
    selector->close(); // waits for the work, which uses the context that is destroyed next
}

TEST_P(Fork, NewClientOfTheChildWorks) {
    in_child([this](Findings& found) { use_new_client(found); });
    EXPECT_FALSE(watcher_.exists("/of the child").has_value() && !watcher_.children("/of the child").names.empty());
}

TEST_P(Fork, NewClientOnTheUsersExecutorWorks) {
    in_child([this](Findings& found) {
        asio::io_context of_child;
        asio::io_context& context = GetParam() == Thread::notified ? context_->context() : of_child;
        Client client{context.get_executor(), config_};
        client.start();
        error_code read;
        std::string data = "nothing";
        client.async_create("/by the child", "data", {}, [&](error_code, const Created&) {
            client.async_get("/by the child", [&](error_code ec, const NodeData& node) {
                read = ec;
                data = node.data;
                client.async_close([&](error_code) { context.stop(); });
            });
        });
        context.restart();
        context.run_for(generous);
        found.expect(!read && data == "data", "it reads and writes");
    });
}

#ifndef DOCENT_SANITIZED // a sanitizer's allocator may be locked in the child
/// Many forks at random moments of the parent's calls have no effect on the parent.
TEST_P(Fork, ChildrenThatExitBesideTheParentsCallsAreNotNoticed) {
    std::jthread calls([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) client_->get("/n");
    });
    if (GetParam() == Thread::notified) return; // notify_fork() needs a parent that makes no calls
    for (int i = 0; i < 20; ++i) {
        in_child([this](Findings& found) {
            found.expect_refused([this](error_code& ec) { client_->get("/n", ec); }, "get() is refused");
            lease_.reset();
            mutex_.reset();
            client_.reset();
        });
    }
}
#endif

/// The child has copies of the descriptors and of the keys. A byte that it sends would break the connection of its parent.
TEST_P(ForkThroughTls, NoChildDisturbsTheConnectionOfItsParent) {
    std::atomic<int> breaks = 0;
    const auto subscription = client_->listen([&](const SessionEvent& event) {
        if (event.state != SessionState::connected) ++breaks;
    });
    const auto try_child = [&](const char* what, const std::function<void(Findings&)>& body) {
        SCOPED_TRACE(what);
        in_child(body);
        client_->set("/n", what);
        EXPECT_EQ(client_->get("/n").data, what);
        EXPECT_EQ(breaks, 0);
    };
    try_child("exit", [this](const Findings&) { exit_with_client(); });
    try_child("exit without destructors", [](const Findings&) { std::_Exit(EXIT_SUCCESS); });
    try_child("the scopes of all objects end", [this](const Findings&) { leave_all_scopes(); });
    try_child("a lease is destroyed", [this](const Findings&) { lease_.reset(); });
    try_child("close", [this](Findings& found) { close_client(found); });
    try_child("a new client", [this](Findings& found) { use_new_client(found); });
}

const auto every_thread = ::testing::Values(Thread::own, Thread::user, Thread::notified);

std::string name_of_thread(const ::testing::TestParamInfo<Thread>& parameter) {
    switch (parameter.param) {
    case Thread::own: return "OwnThread";
    case Thread::user: return "UsersExecutor";
    case Thread::notified: return "NotifiedExecutor";
    }
    return "";
}

INSTANTIATE_TEST_SUITE_P(Threads, Fork, every_thread, name_of_thread);
INSTANTIATE_TEST_SUITE_P(Threads, ForkThroughTls, every_thread, name_of_thread);

} // namespace
} // namespace docent
