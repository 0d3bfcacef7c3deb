// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/persistent_node.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/connected_operation.hpp"
#include "client/core/launch.hpp"
#include "client/data/data_codec.hpp"
#include "client/events/user_listener.hpp"
#include "client/operations/sequence_operation.hpp"
#include "group/persistent_node_core.hpp"

#include <docent/path.hpp>

#include <utility>

namespace docent {
namespace detail {
namespace {

/// Waits until the node exists with the wanted data. The start or the change before is carried out even if the wait is
/// cancelled.
class AwaitNodeOperation final : public ConnectedOperation<std::string> {
public:
    AwaitNodeOperation(std::shared_ptr<ClientView> view, std::shared_ptr<PersistentNodeCore> core, std::function<void()> before,
                       Done<std::string> done)
        : ConnectedOperation(std::move(view), std::move(done)), core_(std::move(core)), before_(std::move(before)) {}

    void begin() override {
        do_before();
        when_connected([this] {
            auto registration = core_->when_settled(
                [self = shared_from_this(), this](error_code ec) { complete(ec, ec ? std::string() : core_->node_path()); });
            if (is_open()) registration_ = std::move(registration);
        });
    }
    void abort(error_code ec) override {
        do_before();
        complete(ec, {});
    }

private:
    void do_before() {
        if (before_) std::exchange(before_, nullptr)();
    }
    void complete(error_code ec, std::string path) {
        const auto last = std::exchange(registration_, nullptr); // may own this object
        finish(ec, std::move(path));
    }

    std::shared_ptr<PersistentNodeCore> core_;
    std::function<void()> before_;
    Registration registration_;
};

class CloseNodeOperation final : public Operation {
public:
    CloseNodeOperation(std::shared_ptr<PersistentNodeCore> core, Done<> done)
        : core_(std::move(core)), done_(std::move(done)) {}

    void begin() override {
        core_->close([self = shared_from_this(), this] { complete({}); });
    }
    void abort(error_code ec) override {
        if (done_) core_->close([] {}); // the call may be aborted before it begins
        complete(ec);
    }
    bool may_have_effects() const override { return true; }

private:
    void complete(error_code ec) {
        if (done_) std::exchange(done_, nullptr)(ec);
    }

    std::shared_ptr<PersistentNodeCore> core_;
    Done<> done_;
};

} // namespace

asio::any_io_executor executor_of(const PersistentNodeCore& core) {
    return core.view()->executor();
}

void initiate_await_node(const std::shared_ptr<PersistentNodeCore>& core, CallOptions call, Handler<std::string> handler) {
    const auto make = [&core](const std::shared_ptr<ClientView>& view, Done<std::string> done) {
        auto start = [core] { static_cast<void>(core->start()); };
        return std::make_shared<AwaitNodeOperation>(view, core, std::move(start), std::move(done));
    };
    launch<std::string>(core->view(), {"await_node", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_node_set(const std::shared_ptr<PersistentNodeCore>& core, std::string data, CallOptions call, Handler<> handler) {
    std::string encoded = data;
    const error_code fault = encode_data(core->view()->config(), core->path(), Compression::client_default, encoded);
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<> done) -> std::shared_ptr<Operation> {
        if (fault) return std::make_shared<Refusal>([done = std::move(done), fault] { done(fault); });
        auto set = [core, data = std::move(data), encoded = std::move(encoded)] {
            static_cast<void>(core->start());
            core->set_data(data, encoded);
        };
        return std::make_shared<AwaitNodeOperation>(view, core, std::move(set),
                                                    [done = std::move(done)](error_code ec, const std::string&) { done(ec); });
    };
    launch<>(core->view(), {"node_set_data", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_node_close(const std::shared_ptr<PersistentNodeCore>& core, CallOptions call, Handler<> handler) {
    const auto make = [&core](const std::shared_ptr<ClientView>&, Done<> done) {
        return std::make_shared<CloseNodeOperation>(core, std::move(done));
    };
    launch<>(core->view(), {"node_close", core->path()}, std::move(call), std::move(handler), make);
}

} // namespace detail

std::string_view to_string(PersistentNodeChange change) noexcept {
    switch (change) {
    case PersistentNodeChange::made: return "made";
    case PersistentNodeChange::gone: return "gone";
    case PersistentNodeChange::not_made: return "not_made";
    }
    return "unknown";
}

PersistentNode::PersistentNode(Client& client, std::string_view path, PersistentNodeOptions options) {
    const std::string what = "persistent node " + std::string(path);
    if (const error_code ec = check_path(path)) throw Error(ec, what + ": " + explain_path(path));
    if (options.mode == CreateMode::container || has_ttl(options.mode)) throw Error(server_error::unimplemented, what);
    const auto& view = detail::Access::open_view(client, "persistent node");
    std::string encoded = options.data;
    const error_code ec = detail::encode_data(view->config(), std::string(path), Compression::client_default, encoded);
    detail::throw_if(ec, "compress the data of the persistent node", path);
    core_ = std::make_shared<detail::PersistentNodeCore>(view, std::string(path), std::move(options), std::move(encoded));
    keeping_ = detail::post_at_end(view, [core = core_] { core->close([] {}); });
}

PersistentNode::PersistentNode(detail::SameObject, const PersistentNode& other) : keeping_(other.keeping_) {
    core_ = other.core_;
}

PersistentNode::~PersistentNode() = default;

const std::string& PersistentNode::path() const noexcept {
    return core_->path();
}

std::string PersistentNode::node_path() const {
    return core_->node_path();
}

std::string PersistentNode::data() const {
    return core_->data();
}

void PersistentNode::start(error_code& ec) {
    ec = core_->start();
}

void PersistentNode::start() {
    detail::throw_if(core_->start(), "start the persistent node", path());
}

std::string PersistentNode::await_node(error_code& ec, CallOptions call) {
    return detail::block<std::string>(*core_->view(), std::move(call), ec, detail::initiate_await_node, core_);
}

std::string PersistentNode::await_node(CallOptions call) {
    return detail::throwing("await the persistent node", path(),
                            [&](error_code& ec) { return await_node(ec, std::move(call)); });
}

void PersistentNode::set_data(std::string_view data, error_code& ec, CallOptions call) {
    detail::block<>(*core_->view(), std::move(call), ec, detail::initiate_node_set, core_, std::string(data));
}

void PersistentNode::set_data(std::string_view data, CallOptions call) {
    detail::throwing("set the data of the persistent node", path(),
                     [&](error_code& ec) { set_data(data, ec, std::move(call)); });
}

void PersistentNode::close(error_code& ec, CallOptions call) {
    detail::block_on<>(
        *core_->view(), std::move(call), ec,
        [this](CallOptions options, auto handler) {
            detail::initiate_node_close(core_, std::move(options), std::move(handler));
        },
        {}, detail::BeforeStart::goes_on);
}

void PersistentNode::close(CallOptions call) {
    detail::throwing("close the persistent node", path(), [&](error_code& ec) { close(ec, std::move(call)); });
}

Subscription PersistentNode::listen(std::function<void(const PersistentNodeEvent&)> listener, asio::any_io_executor executor) {
    return Subscription(detail::listen_for_user<PersistentNodeEvent>(
        core_->view(), [core = core_](auto each) { return core->listen(std::move(each)); }, std::move(listener), executor));
}

} // namespace docent
