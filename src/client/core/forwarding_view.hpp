// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <memory>
#include <utility>

namespace docent::detail {

/// Forwards everything to another view. Derived classes override a part.
class ForwardingView : public ClientView, public std::enable_shared_from_this<ForwardingView> {
public:
    explicit ForwardingView(std::shared_ptr<ClientView> inner) : inner_(std::move(inner)) {}

    bool is_here() const noexcept override { return inner_->is_here(); }
    bool is_started() const noexcept override { return inner_->is_started(); }
    bool has_context() const noexcept override { return inner_->has_context(); }
    asio::any_io_executor executor() const override { return inner_->executor(); }
    asio::any_io_executor strand() const override { return inner_->strand(); }
    bool shares_executor() const override { return inner_->shares_executor(); }
    void call_user(std::function<void()> function) noexcept override { inner_->call_user(std::move(function)); }
    bool running_in_this_thread() const override { return inner_->running_in_this_thread(); }
    const ClientConfig& config() const override { return inner_->config(); }
    std::string server_path(const std::string& path) const override { return inner_->server_path(path); }
    const ClientView& root() const override { return inner_->root(); }
    SharedObjects& shared_objects() override { return inner_->shared_objects(); }

    void post(std::function<void()> function) override { inner_->post(std::move(function)); }
    void submit(zk::Request request, zk::ReplyHandler handler) override {
        inner_->submit(std::move(request), std::move(handler));
    }
    void forget_watch(const std::string& path, zk::WatchKind kind) override { inner_->forget_watch(path, kind); }
    SessionEvent session() const override { return inner_->session(); }
    std::shared_ptr<session::ValidityClock> validity_clock() const override { return inner_->validity_clock(); }
    Registration listen(std::function<void(const SessionEvent&)> listener) override {
        return inner_->listen(std::move(listener));
    }
    Registration call_at(steady_clock::time_point when, std::function<void()> function) override {
        return inner_->call_at(when, std::move(function));
    }
    steady_clock::time_point now() const override { return inner_->now(); }
    void remove_in_background(RemovalOrder order, Removed done) override {
        inner_->remove_in_background(std::move(order), std::move(done));
    }
    void keep_alive(std::weak_ptr<KeptAlive> object) override { inner_->keep_alive(std::move(object)); }
    std::string new_guid() override { return inner_->new_guid(); }
    std::string new_marked_guid() override { return inner_->new_marked_guid(); }
    void on_node_gone(const std::string& path) override { inner_->on_node_gone(path); }
    void on_guid_gone(const std::string& path, const std::string& guid) override { inner_->on_guid_gone(path, guid); }
    std::uint64_t random() override { return inner_->random(); }
    const RetryPolicy& retry_policy() const override { return inner_->retry_policy(); }
    const std::string& default_data() const override { return inner_->default_data(); }
    bool has_prefix() const override { return inner_->has_prefix(); }
    void submit_prefix(const std::shared_ptr<ParentAnswers>& answers) override { inner_->submit_prefix(answers); }

protected:
    ClientView& inner() const { return *inner_; }
    const std::shared_ptr<ClientView>& shared_inner() const { return inner_; }

private:
    std::shared_ptr<ClientView> inner_;
};

} // namespace docent::detail
