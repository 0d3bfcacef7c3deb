// SPDX-License-Identifier: Apache-2.0

#include "client/core/parents/parents.hpp"
#include "base/time_over.hpp"

#include <docent/path.hpp>
#include <docent/tracing/tracer.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <variant>

namespace docent::detail {

std::size_t ParentAnswers::add(std::string path) {
    answers_.push_back({std::move(path), std::nullopt});
    return answers_.size() - 1;
}

bool ParentAnswers::any_made() const {
    return std::any_of(answers_.begin(), answers_.end(), [](const Answer& answer) { return answer.ec && !*answer.ec; });
}

std::optional<ParentAnswers::Refusal> ParentAnswers::refusal() const {
    // The uppermost missing node: the ancestor before the first one that found no parent.
    const auto orphan = std::find_if(answers_.begin(), answers_.end(),
                                     [](const Answer& answer) { return answer.ec == error_code(server_error::no_node); });
    if (orphan == answers_.begin()) return std::nullopt;
    const Answer& missing = *std::prev(orphan);
    if (!missing.ec || !*missing.ec || *missing.ec == server_error::node_exists || is_lost(*missing.ec)) return std::nullopt;
    return Refusal{*missing.ec, missing.path};
}

namespace {

/// The number of hang-ups that prove that a server closes the connection for an unknown request. One may be chance.
constexpr int enough_hang_ups = 2;

zk::CreateRequest* parent_container(zk::Request& request) {
    auto* const create = std::get_if<zk::CreateRequest>(&request);
    return create != nullptr && create->is_parent && create->mode == CreateMode::container ? create : nullptr;
}

bool is_refusal(const error_code& ec) {
    return ec == server_error::unimplemented || ec == server_error::bad_arguments;
}

/// Whether to send the request again: it failed, and only because of missing parents. An exists does not fail, and leaves a
/// watch.
bool is_to_be_sent_again(zk::Request& request, const error_code& ec) {
    if (parent_container(request) != nullptr && is_refusal(ec)) return true;
    return ec == server_error::no_node && !std::holds_alternative<zk::ExistsRequest>(request);
}

} // namespace

void ContainerTrial::submit(zk::Request request, zk::ReplyHandler handler) {
    const bool waits = containers_ == Containers::missing && beside_ > 0;
    if (waits || !held_.empty()) held_.push_back({std::move(request), std::move(handler)});
    else send(std::move(request), std::move(handler));
}

void ContainerTrial::send(zk::Request request, zk::ReplyHandler handler) {
    zk::CreateRequest* const parent = parent_container(request);
    if (parent != nullptr && containers_ == Containers::missing) parent->mode = CreateMode::persistent;
    const bool is_tried = containers_ == Containers::unknown && (parent != nullptr || beside_ > 0);
    if (!is_tried) return submit_(std::move(request), std::move(handler));
    ++beside_;
    Submitted tried{request, std::move(handler)};
    submit_(std::move(request),
            [this, weak = std::weak_ptr(alive_), tried = std::move(tried), sent = now_()](zk::Reply&& reply) mutable {
                if (weak.lock()) on_answer(tried, sent, std::move(reply));
                else tried.handler(std::move(reply));
            });
}

void ContainerTrial::on_answer(Submitted& tried, Clock::time_point sent, zk::Reply&& reply) {
    --beside_;
    zk::CreateRequest* const parent = parent_container(tried.request);
    if (parent != nullptr) learn(reply.ec, sent);
    const std::weak_ptr<bool> alive = alive_; // the handler may destroy this object
    if (containers_ == Containers::missing && is_to_be_sent_again(tried.request, reply.ec)) {
        if (parent != nullptr) parent->mode = CreateMode::persistent;
        submit_(std::move(tried.request), std::move(tried.handler));
    } else {
        tried.handler(std::move(reply));
    }
    while (!alive.expired() && beside_ == 0 && !held_.empty()) { // requests of a handler come after these
        Submitted next = std::move(held_.front());
        held_.pop_front();
        send(std::move(next.request), std::move(next.handler));
    }
}

void ContainerTrial::learn(error_code ec, Clock::time_point sent) {
    if (is_refusal(ec)) are_missing();
    else if (containers_ == Containers::unknown && (!ec || ec == server_error::node_exists || ec == server_error::no_auth))
        containers_ = Containers::known;
    else if (ec == server_error::connection_loss && !without_word_) without_word_ = sent;
}

/// A session lives for its timeout after the connection breaks. If it is over at once, the create has ended it.
void ContainerTrial::on_session_event(const SessionEvent& event, std::chrono::milliseconds session_timeout) {
    if (event.state == SessionState::connected) without_word_.reset();
    if (event.state != SessionState::lost || event.reason != server_error::session_expired) return;
    const auto sent = std::exchange(without_word_, std::nullopt);
    if (!sent || now_() - *sent >= session_timeout / 2 || containers_ != Containers::unknown) return;
    if (++hang_ups_ == enough_hang_ups) are_missing();
}

void ContainerTrial::are_missing() {
    if (std::exchange(containers_, Containers::missing) != Containers::missing) on_missing_();
}

namespace {

/// The parents that the client's tracer was warned about. Each is reported once.
struct ToldParents {
    static constexpr std::size_t most = 100;
    std::set<std::string> paths;
};

void tell_of(ClientView& view, const ParentAnswers::Refusal& refusal) {
    const auto& tracer = view.config().tracer;
    auto& told = view.kept<ToldParents>().paths;
    if (!tracer || told.size() == ToldParents::most || !told.insert(refusal.path).second) return;
    view.call_user([tracer, text = "the parent " + refusal.path + " is missing and cannot be made: " + refusal.ec.message()] {
        tracer->on_warning(text);
    });
}

} // namespace

SharedParentAnswers submit_parents(ClientView& view, const std::string& node, Parents kind, const Acl& acl) {
    auto answers = std::make_shared<ParentAnswers>();
    view.submit_prefix(answers);
    // The prefix's nodes are always created. The caller has asked not to create parents below the prefix.
    if (kind == Parents::fail) return parent_path(node) == "/" ? answers : nullptr;
    submit_ancestors(view, node, kind, acl, answers);
    return answers;
}

SharedParentAnswers submit_parents(ClientView& view, const std::string& node) {
    return submit_parents(view, node, view.config().own_parents);
}

void submit_ancestors(ClientView& view, const std::string& node, Parents kind, const Acl& acl,
                      const SharedParentAnswers& answers) {
    const CreateMode mode = kind == Parents::container ? CreateMode::container : CreateMode::persistent;
    for (std::string& path : ancestor_paths(node)) {
        const std::size_t number = answers->add(view.server_path(path));
        view.submit(zk::CreateRequest{.path = std::move(path), .mode = mode, .acl = acl, .is_parent = true},
                    [answers, number](const zk::Reply& reply) { answers->on_answer(number, reply.ec); });
    }
}

error_code error_of_create(ClientView& view, const error_code& ec, const SharedParentAnswers& answers) {
    if (ec != server_error::no_node || !answers) return ec;
    const auto refusal = answers->refusal();
    if (!refusal) return ec;
    tell_of(view, *refusal);
    return refusal->ec;
}

} // namespace docent::detail
