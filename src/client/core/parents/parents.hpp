// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"
#include "zk/request.hpp"

#include <docent/acl.hpp>
#include <docent/error.hpp>
#include <docent/session_event.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

/// The answers to the creates of a node's ancestors. These go out from the top, right before the node's own create. If that
/// create finds no parent, this object decides whether another try makes sense. Pure.
///
/// If a node forbids creates below it, a server answers `no_auth`, whether the child exists or not. So a refused ancestor is
/// missing if, and only if, the create below it found no parent.
class ParentAnswers {
public:
    struct Refusal {
        error_code ec;
        std::string path; // the ancestor that is missing and may not be created
        friend bool operator==(const Refusal&, const Refusal&) = default;
    };

    /// Adds the next ancestor. Returns its number.
    std::size_t add(std::string path);
    void on_answer(std::size_t number, const error_code& ec) { answers_.at(number).ec = ec; }

    /// Whether an ancestor was created.
    bool any_made() const;
    /// Call it if the create below the last ancestor found no parent. Returns the reason if another try would fail as well.
    /// Returns nothing if another try makes sense: a server has removed an empty container meanwhile, or an answer was lost.
    std::optional<Refusal> refusal() const;

private:
    struct Answer {
        std::string path;
        std::optional<error_code> ec; // set by the answer
    };
    std::vector<Answer> answers_;
};

/// Handles servers without containers (ZooKeeper before 3.5, ClickHouse Keeper): there, parents become persistent nodes. The
/// first creates of container parents go out together with the requests that need them. If the server refuses containers, the
/// object creates persistent parents, and sends requests that found no node again, in order. Requests that are submitted
/// meanwhile wait. From then on, parents are persistent from the beginning.
class ContainerTrial {
public:
    using Submit = std::function<void(zk::Request, zk::ReplyHandler)>;
    using Clock = std::chrono::steady_clock;

    /// Calls `on_missing` once, when it is known that the server has no containers.
    ContainerTrial(Submit submit, std::function<Clock::time_point()> now, std::function<void()> on_missing)
        : submit_(std::move(submit)), now_(std::move(now)), on_missing_(std::move(on_missing)) {}

    void submit(zk::Request request, zk::ReplyHandler handler);
    void on_session_event(const SessionEvent& event, std::chrono::milliseconds session_timeout);

private:
    enum class Containers { unknown, known, missing };
    struct Submitted {
        zk::Request request;
        zk::ReplyHandler handler;
    };

    void send(zk::Request request, zk::ReplyHandler handler);
    void on_answer(Submitted& tried, Clock::time_point sent, zk::Reply&& reply);
    void learn(error_code ec, Clock::time_point sent); // from the answer to the create of a container parent
    void are_missing();

    Submit submit_;
    std::function<Clock::time_point()> now_;
    std::function<void()> on_missing_;
    Containers containers_ = Containers::unknown;
    std::size_t beside_ = 0;     // outstanding requests that were sent while `unknown`, from the first container create on
    std::deque<Submitted> held_; // if `missing`: requests that wait until beside_ is 0
    std::optional<Clock::time_point> without_word_; // send time of a container create whose connection broke; reset on connect
    int hang_ups_ = 0;                              // sessions that ended soon after such a create was sent
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true); // replies may come after this object
};

// Creates missing parents, and knows when this cannot help.

using SharedParentAnswers = std::shared_ptr<ParentAnswers>;

/// Sends the creates of all ancestors of `node`, with the prefixes of the client, from the top. Send the node's own create
/// right after this. With Parents::fail, creates the nodes of the prefixes only, and returns null if the node's parent is not
/// one of them.
SharedParentAnswers submit_parents(ClientView& view, const std::string& node, Parents kind, const Acl& acl = {});
/// The same with `ClientConfig::own_parents` and the default ACL.
SharedParentAnswers submit_parents(ClientView& view, const std::string& node);

/// Sends the creates of all ancestors of `node`, from the top, but not of the view's prefixes.
void submit_ancestors(ClientView& view, const std::string& node, Parents kind, const Acl& acl,
                      const SharedParentAnswers& answers);

/// The error of the node's create. If the create found no parent because the parent may not be created, returns the error of
/// the parent's create: `no_node` would mislead, and another try would fail. Reports the parent's path to the client's tracer.
/// `answers`: null if no parents were created.
error_code error_of_create(ClientView& view, const error_code& ec, const SharedParentAnswers& answers);

} // namespace docent::detail
