// SPDX-License-Identifier: Apache-2.0
#pragma once

// The interface of the client to operations and recipes. A namespace or a counter of requests overrides a part of it; tests
// have a fake. Everything here happens on the client's strand. No callback is called from inside the call that takes it.

#include "client/core/shared_objects.hpp"
#include "session/validity_bound.hpp"
#include "zk/request.hpp"

#include <docent/client_config.hpp>
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

/// Owns a registration or a timer, and cancels it when dropped.
using Registration = std::shared_ptr<void>;

/// An object that needs frequent heartbeats, such as a lease.
class KeptAlive {
public:
    virtual ~KeptAlive() = default;
    /// A heartbeat has just been sent. Do work here that would slow down a short hold.
    virtual void on_heartbeat() = 0;
    virtual void on_session_event(const SessionEvent& event) = 0;
};

class Observation;

/// A node to remove. Without `guid`: the node at `path`, if it has this version (-1: any). With `guid`: every child of `path`
/// whose name begins with `_c_<guid>-`, found after a sync; for creates with an unknown outcome.
struct RemovalOrder {
    std::string path;
    std::string guid = {};
    std::int32_t version = -1;
    std::shared_ptr<Observation> counter = nullptr; // counts the requests until `done` is called
    friend bool operator==(const RemovalOrder&, const RemovalOrder&) = default;
};

/// Called once with the outcome of a removal: see ClientView::remove_in_background().
using Removed = std::function<void(error_code)>;

class ParentAnswers;

class ClientView {
public:
    virtual ~ClientView() = default;

    /// False in a child of the process that made the client. There, nothing runs on the strand, and posted functions are
    /// dropped. From any thread, without a system call.
    virtual bool is_here() const noexcept { return true; }

    /// False before start(), unless the client was closed. From any thread.
    virtual bool is_started() const noexcept { return true; }

    /// False when the context of the client's executor is being destroyed. Then handlers are destroyed and not called, as those
    /// of Asio's own objects.
    virtual bool has_context() const noexcept { return true; }

    /// Calls `function` soon on the strand. From any thread.
    virtual void post(std::function<void()> function) = 0;

    /// Sends a request, once. The servers apply and answer requests in the order of the calls. Errors: `error::not_connected`
    /// (no connection; the request was not sent), a code that equals `condition::outcome_unknown` (the reply was lost),
    /// `error::closed`.
    virtual void submit(zk::Request request, zk::ReplyHandler handler) = 0;

    /// Call it when a watch that a request has set is not wanted any more: see zk::Handle::forget_watch().
    virtual void forget_watch(const std::string& path, zk::WatchKind kind) {
        static_cast<void>(path);
        static_cast<void>(kind);
    }

    /// The last session event, and the clock of its session (null before the first one).
    virtual SessionEvent session() const = 0;
    virtual std::shared_ptr<session::ValidityClock> validity_clock() const = 0;

    /// Calls `listener` with every session event from now on, until the registration is dropped. On an event, listeners are
    /// called before the replies and watch events that came after it.
    virtual Registration listen(std::function<void(const SessionEvent&)> listener) = 0;

    /// Calls `function` once at `when`, unless the registration is dropped before.
    virtual Registration call_at(steady_clock::time_point when, std::function<void()> function) = 0;
    virtual steady_clock::time_point now() const = 0;
    /// The same after `length`. A time that is too large means for ever.
    Registration call_after(std::chrono::milliseconds length, std::function<void()> function) {
        return call_at(later(now(), length), std::move(function));
    }

    /// Removes the node, and tries again, also after disconnects and in later sessions, until the node is certainly gone or the
    /// client is closed. With a connection, the first attempt goes out at once. Calls `done`, if given: without an error when
    /// the node is certainly gone, when the connection breaks before (the removal continues), or at once without a connection;
    /// with an error if a server has refused the removal for good.
    virtual void remove_in_background(RemovalOrder order, Removed done = nullptr) = 0;

    /// Heartbeats are frequent while the object exists. Held weakly.
    virtual void keep_alive(std::weak_ptr<KeptAlive> object) = 0;

    virtual std::string new_guid() = 0; // random UUID, lower case
    /// The same with the mark of this client, for nodes that only this client removes. If such a node appears in a list
    /// although its removal was confirmed, the client removes it again (see OrphanedNodes).
    virtual std::string new_marked_guid() = 0;
    /// Another client has removed a node with such a GUID.
    virtual void on_node_gone(const std::string& path) { static_cast<void>(path); }
    /// A search for such a GUID below `path`, after a `sync`, has found no node, and none is wanted any more.
    virtual void on_guid_gone(const std::string& path, const std::string& guid) {
        static_cast<void>(path);
        static_cast<void>(guid);
    }
    virtual std::uint64_t random() = 0; // uniform
    virtual const RetryPolicy& retry_policy() const = 0;
    std::chrono::milliseconds connection_timeout() const { return config().connection_timeout; }
    virtual const std::string& default_data() const = 0; // for nodes that are created without data, such as those of locks

    /// Whether paths get a prefix (chroot or namespace). Its nodes may be missing.
    virtual bool has_prefix() const { return false; }
    /// Sends the creates of the prefix's nodes, from the top. `answers` collects their answers.
    virtual void submit_prefix(const std::shared_ptr<ParentAnswers>& answers) { static_cast<void>(answers); }

    /// The executor of users' functions without their own executor: the one that the user gave, or the client's second thread,
    /// which begins with the first call of this function. Never the strand. From any thread.
    virtual asio::any_io_executor executor() const = 0;
    /// The strand, for docent's own functions.
    virtual asio::any_io_executor strand() const { return executor(); }
    /// Whether the strand may be a part of executor().
    virtual bool shares_executor() const { return true; }
    /// Calls a function of the user's tracer soon, off the strand, one at a time in the order of the calls. Does nothing
    /// without a tracer. Without memory, the function is not called.
    virtual void call_user(std::function<void()> function) noexcept = 0;
    /// Whether a blocking call on this thread would wait for itself.
    virtual bool running_in_this_thread() const = 0;
    virtual const ClientConfig& config() const = 0;

    /// The path on the servers, with all prefixes.
    virtual std::string server_path(const std::string& path) const { return path; }
    /// The client itself. All views of a client share its strand and its session.
    virtual const ClientView& root() const { return *this; }
    /// The shared objects of the client itself. From any thread.
    virtual SharedObjects& shared_objects() = 0;
    /// The view behind the observation of a call; null if this view is not an observation.
    virtual std::shared_ptr<ClientView> unobserved() const { return nullptr; }

    /// An object of type T that belongs to the client, for modules above. It is made at the first call, and is the same for all
    /// views. On the strand.
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

/// Posts `function` to the strand when the last copy of the returned registration is destroyed, on any thread. For objects
/// whose destruction ends their work. Without memory, the work continues until the client is closed.
inline Registration post_at_end(std::shared_ptr<ClientView> view, std::function<void()> function) {
    auto* const object = view.get();
    return {object, [view = std::move(view), function = std::move(function)](void*) mutable noexcept {
                try {
                    view->post(std::move(function));
                } catch (...) {
                }
                view.reset();
            }};
}

/// The view for objects that outlive the call that made them. They must not use the call's retry policy, or count for its
/// trace.
inline std::shared_ptr<ClientView> without_observation(std::shared_ptr<ClientView> view) {
    auto behind = view->unobserved();
    return behind ? behind : view;
}

} // namespace docent::detail
