// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/cache/cache_base.hpp>

#include "cache/cache_core.hpp"
#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/connected_operation.hpp"
#include "client/core/launch.hpp"
#include "client/events/user_listener.hpp"

#include <docent/path.hpp>
#include <docent/recipes/cache/node_cache.hpp>
#include <docent/recipes/cache/path_children_cache.hpp>
#include <docent/recipes/cache/tree_cache.hpp>

#include <utility>

namespace docent {
namespace detail {
namespace {

/// Starts the cache, also if the wait is cancelled, and waits until it is whole.
class AwaitWholeOperation final : public ConnectedOperation<> {
public:
    AwaitWholeOperation(std::shared_ptr<ClientView> view, std::shared_ptr<CacheCore> core, Done<> done)
        : ConnectedOperation(std::move(view), std::move(done)), core_(std::move(core)) {}

    void begin() override {
        core_->start();
        auto registration = core_->when_whole([self = shared_from_this()](error_code ec) { self->abort(ec); });
        if (!is_open()) return;
        registration_ = std::move(registration);
        when_connected([] {}); // ends the wait without a connection in time
    }
    void abort(error_code ec) override {
        core_->start();
        const auto last = std::exchange(registration_, nullptr); // may own this object
        finish(ec);
    }

private:
    std::shared_ptr<CacheCore> core_;
    Registration registration_;
};

} // namespace

asio::any_io_executor executor_of(const CacheCore& core) {
    return core.view()->executor();
}

void initiate_cache_start(const std::shared_ptr<CacheCore>& core, CallOptions call, Handler<> handler) {
    const auto make = [&core](const std::shared_ptr<ClientView>& view, Done<> done) {
        return std::make_shared<AwaitWholeOperation>(view, core, std::move(done));
    };
    launch<>(core->view(), {"cache_start", core->root()}, std::move(call), std::move(handler), make);
}

} // namespace detail

CacheBase::CacheBase(Client& client, const char* what, const detail::CacheShape& shape, CacheSelector selector) {
    if (const error_code ec = check_path(shape.root)) {
        throw Error(ec, std::string(what) + " of " + shape.root + ": " + explain_path(shape.root));
    }
    core_ = std::make_shared<detail::CacheCore>(detail::Access::open_view(client, what), shape, std::move(selector));
    auto end = detail::post_at_end(core_->view(), [core = core_] { core->close(); });
    keeping_ = std::shared_ptr<void>(core_.get(), [core = core_, end = std::move(end)](void*) mutable noexcept {
        core->silence();
        end.reset();
        core.reset();
    });
}

CacheBase::CacheBase(detail::SameObject, const CacheBase& other) : keeping_(other.keeping_) {
    core_ = other.core_;
}

CacheBase::~CacheBase() = default;

const std::string& CacheBase::path() const noexcept {
    return core_->root();
}

void CacheBase::start(error_code& ec, CallOptions call) {
    detail::block<>(*core_->view(), std::move(call), ec, detail::initiate_cache_start, core_);
}

void CacheBase::start(CallOptions call) {
    detail::throwing("start the cache of", path(), [&](error_code& ec) { start(ec, std::move(call)); });
}

bool CacheBase::whole() const {
    return core_->look([](const detail::CacheView& view) { return view.whole(); });
}

Subscription CacheBase::listen(std::function<void(const CacheEvent&)> listener, asio::any_io_executor executor) {
    return Subscription(detail::listen_for_user<CacheEvent>(
        core_->view(), [core = core_](auto each) { return core->listen(std::move(each)); }, std::move(listener), executor));
}

void CacheBase::close() {
    core_->silence();
    core_->view()->post([core = core_] { core->close(); });
}

CachedNodePtr CacheBase::find(std::string_view path) const {
    return core_->look([&](const detail::CacheView& view) { return view.find(path); });
}

CachedNodes CacheBase::children_of(std::string_view path) const {
    return core_->look([&](const detail::CacheView& view) { return view.children(path); });
}

CachedNodes CacheBase::all() const {
    return core_->look([](const detail::CacheView& view) { return view.nodes(); });
}

NodeCache::NodeCache(Client& client, std::string_view path)
    : CacheBase(client, "node cache", {.root = std::string(path), .depth = 0}, {}) {}

PathChildrenCache::PathChildrenCache(Client& client, std::string_view path, CacheSelector selector)
    : CacheBase(client, "path children cache", {.root = std::string(path), .shows_root = false, .depth = 1},
                std::move(selector)) {}

CachedNodePtr PathChildrenCache::get(std::string_view name) const {
    return find(join_path(path(), name));
}

TreeCache::TreeCache(Client& client, std::string_view path, TreeCacheOptions options)
    : CacheBase(client, "tree cache", {.root = std::string(path), .depth = options.max_depth}, std::move(options.selector)) {}

} // namespace docent
