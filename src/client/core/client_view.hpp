// SPDX-License-Identifier: Apache-2.0
#pragma once

// What operations and recipes see of the client: an interface, so that what stands between can override a part of it (a prefix,
// a count of requests), and a fake can stand in for all of it. Everything here happens on the client's strand, and no callback
// is ever called from inside the call that was given it.

#include "client/core/shared_objects.hpp"
#include "posix/sleeper.hpp"
#include "session/session_clock.hpp"
#include "zk/request.hpp"
#include "zk/watch_look.hpp"

#include <docent/client_config.hpp>
#include <docent/create_mode.hpp>
#include <docent/detail/async.hpp>
#include <docent/detail/deadline.hpp>
#include <docent/retry_policy.hpp>
#include <docent/session_event.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

namespace docent::detail {

using steady_clock = std::chrono::steady_clock;

/// Keeps something registered or armed; dropping it ends that.
using Registration = std::shared_ptr<void>;

/// What a lease asks of the client while it is held.
class KeptAlive {
public:
    virtual ~KeptAlive() = default;
    /// A heartbeat has just been sent: the time for things that a short hold should not pay for.
    virtual void on_heartbeat() = 0;
    virtual void on_session_event(const SessionEvent& event) = 0;
};

/// Counts requests for somebody's trace.
class RequestCounter {
public:
    virtual ~RequestCounter() = default;
    /// Counts the request; what it returns counts the reply, too, and then calls `handler`.
    virtual zk::ReplyHandler counted(const zk::Request& request, zk::ReplyHandler handler) = 0;
};

/// A node that must go. `path` alone: this node, if it has this version (-1: any). With `guid`: every child of `path` whose
/// name begins with `_c_<guid>-`, found after a sync, for creates whose outcome is unknown.
struct RemovalOrder {
    std::string path;
    std::string guid = {};
    std::int32_t version = -1;
    std::shared_ptr<RequestCounter> counter = nullptr; // of what is sent until `done` is called
    friend bool operator==(const RemovalOrder&, const RemovalOrder&) = default;
};

class ParentAnswers;

class ClientView {
public:
    virtual ~ClientView() = default;

    /// False in a child of the process that has made the client: there, nothing runs on the strand, and all that is posted is
    /// dropped. From any thread, without a system call.
    virtual bool is_here() const noexcept { return true; }

    /// False before start(), unless the client was closed. From any thread.
    virtual bool is_started() const noexcept { return true; }

    /// False once the context of the executor that the client was given is being destroyed: handlers are destroyed with it, as
    /// those of Asio's own objects are, and not called.
    virtual bool has_context() const noexcept { return true; }

    /// Calls `function` soon on the strand; from any thread.
    virtual void post(std::function<void()> function) = 0;

    /// The same for a thread that will wait for what comes of it, and had better be on the strand itself meanwhile: `function`
    /// may have been called when this returns. Not while anything is locked that it needs.
    virtual void begin(std::function<void()> function) { post(std::move(function)); }

    /// Sleeps until the sleeper is woken by what was begun. May read on the strand what arrives meanwhile.
    virtual void sleep(posix::Sleeper& sleeper) { sleeper.sleep(); }

    /// Sends one request, once. Requests are applied and answered in the order of the calls. Without a connection it fails with
    /// `error::not_connected` and was not sent; when the reply is lost, with a code that equals
    /// `condition::outcome_unknown`. After close, with `error::closed`.
    virtual void submit(zk::Request request, zk::ReplyHandler handler) = 0;

    /// Nobody waits any more for a watch that a request has set: see zk::Handle::forget_watch.
    virtual void forget_watch(const std::string& path, zk::WatchKind kind) {
        static_cast<void>(path);
        static_cast<void>(kind);
    }

    /// The same for what GetConfigRequest has set, which has no prefix.
    virtual void forget_config_watch() {}

    /// The last session event, and the clock of its session (null before the first one).
    virtual SessionEvent session() const = 0;
    virtual std::shared_ptr<session::SessionClock> session_clock() const = 0;

    /// Calls `listener` with every session event from now on, until the registration is dropped. On an event, listeners are
    /// called before the replies and watch events that came after it.
    virtual Registration listen(std::function<void(const SessionEvent&)> listener) = 0;

    /// Calls `function` once at `when`, unless the registration is dropped before.
    virtual Registration call_at(steady_clock::time_point when, std::function<void()> function) = 0;
    virtual steady_clock::time_point now() const = 0;
    /// The same after `length`; however long that is.
    Registration call_after(std::chrono::milliseconds length, std::function<void()> function) {
        return call_at(later(now(), length), std::move(function));
    }

    /// Carries out the order until it is certain, through disconnections and sessions, until the client is closed. The first
    /// attempt goes out at once when connected. `done`, when given, is called when it is certain, when the connection
    /// breaks before (the order goes on), or at once when there is no connection.
    virtual void remove_in_background(RemovalOrder order, std::function<void()> done = nullptr) = 0;

    /// Heartbeats are frequent while anything is kept alive. Held weakly.
    virtual void keep_alive(std::weak_ptr<KeptAlive> object) = 0;

    virtual std::string new_guid() = 0; // random UUID, lower case
    /// The same with the mark of this client, for nodes that only this client removes: one that is seen in any list, though its
    /// removal has been confirmed, is removed again (see Ghosts).
    virtual std::string new_marked_guid() = 0;
    /// Somebody else has removed a node that has such a guid.
    virtual void on_node_gone(const std::string& path) { static_cast<void>(path); }
    /// A node with such a guid was looked for below `path`, behind a `sync`, and none is wanted any more.
    virtual void on_guid_gone(const std::string& path, const std::string& guid) {
        static_cast<void>(path);
        static_cast<void>(guid);
    }
    virtual std::uint64_t random() = 0; // uniform
    virtual const RetryPolicy& retry_policy() const = 0;
    virtual std::chrono::milliseconds connection_timeout() const = 0;
    virtual const std::string& default_data() const = 0; // of nodes made without any, such as those of locks

    /// Whether paths get a prefix (chroot, namespace), whose nodes may be missing.
    virtual bool has_prefix() const { return false; }
    /// Sends the creates of the prefix's nodes, from the top, and has `answers` collect what comes of them.
    virtual void submit_prefix(const std::shared_ptr<ParentAnswers>& answers) { static_cast<void>(answers); }

    /// Where users' functions are called that have no executor of their own: the executor that the user gave, or that of the
    /// client's second thread, which begins with the first call of this. Never the strand. From any thread.
    virtual asio::any_io_executor executor() const = 0;
    /// The strand, for what is not a user's.
    virtual asio::any_io_executor strand() const { return executor(); }
    /// Whether executor() may be one of which the strand is a part.
    virtual bool shares_executor() const { return true; }
    /// Calls a function that is the user's soon, off the strand, one after the other in the order of the calls. May fail only
    /// by leaving it out.
    virtual void call_user(std::function<void()> function) noexcept = 0;
    /// Whether a blocking call on this thread would wait for itself.
    virtual bool running_in_this_thread() const = 0;
    virtual const ClientConfig& config() const = 0;

    /// What the servers call this path: with all prefixes.
    virtual std::string server_path(const std::string& path) const { return path; }
    /// The client itself, behind all views of it; those of one client share its strand and its session.
    virtual const ClientView& root() const { return *this; }
    /// Of the client itself; from any thread.
    virtual SharedObjects& shared_objects() = 0;
    /// What one call's observation stands before; null if this is none.
    virtual std::shared_ptr<ClientView> unobserved() const { return nullptr; }

    /// What a room above keeps for a client, whichever view of it is used: one of each type, made when it is first asked for.
    /// On the strand.
    template <typename T> T& kept() const {
        auto& all = root().kept_;
        for (const auto& [type, one] : all) {
            if (type == typeid(T)) return *static_cast<T*>(one.get());
        }
        return *static_cast<T*>(all.emplace_back(typeid(T), std::make_shared<T>()).second.get());
    }

private:
    mutable std::vector<std::pair<std::type_index, std::shared_ptr<void>>> kept_; // of the client itself
};

/// For what outlives the call that it was made by: it must not get that call's retry policy, nor count for it.
inline std::shared_ptr<ClientView> without_observation(std::shared_ptr<ClientView> view) {
    auto behind = view->unobserved();
    return behind ? behind : view;
}

} // namespace docent::detail
