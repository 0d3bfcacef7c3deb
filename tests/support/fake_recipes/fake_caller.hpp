// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/forwarding_view.hpp"
#include "fake_client.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace docent::detail {

/// A shared client as one of its owners sees it. Requests through this view belong to the owner, even if another owner acts.
class FakeCaller final : public ForwardingView {
public:
    FakeCaller(const std::shared_ptr<FakeClient>& client, FakeClient::Owner owner)
        : ForwardingView(client), client_(*client), owner_(owner) {}

    void post(std::function<void()> function) override {
        client_.ask_for(owner_, [&] { client_.post(std::move(function)); });
    }
    void submit(zk::Request request, zk::ReplyHandler handler) override {
        client_.ask_for(owner_, [&] { client_.submit(std::move(request), std::move(handler)); });
    }
    Registration call_at(steady_clock::time_point when, std::function<void()> function) override {
        Registration timer;
        client_.ask_for(owner_, [&] { timer = client_.call_at(when, std::move(function)); });
        return timer;
    }
    void remove_in_background(RemovalOrder order, Removed done) override {
        client_.ask_for(owner_, [&] { client_.remove_in_background(std::move(order), std::move(done)); });
    }
    void keep_alive(std::weak_ptr<KeptAlive> object) override {
        client_.ask_for(owner_, [&] { client_.keep_alive(std::move(object)); });
    }

private:
    FakeClient& client_;
    const FakeClient::Owner owner_;
};

} // namespace docent::detail
