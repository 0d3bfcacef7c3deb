// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/cache/cache_base.hpp>

#include "base/while_alive.hpp"
#include "cache/cache_core.hpp"
#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/connected_operation.hpp"
#include "client/core/launch.hpp"
#include "client/data/data_codec.hpp"
#include "client/events/user_listener.hpp"

#include <docent/path.hpp>
#include <docent/recipes/cache/node_cache.hpp>
#include <docent/recipes/cache/path_children_cache.hpp>
#include <docent/recipes/cache/tree_cache.hpp>

#include <boost/asio/post.hpp>

#include <utility>

namespace docent {
namespace detail {

void CacheView::apply(const CacheEvent& event) {
    switch (event.change) {
    case CacheChange::added:
    case CacheChange::changed: nodes_[event.path] = event.node; break;
    case CacheChange::removed: nodes_.erase(event.path); break;
    case CacheChange::refused: break;
    case CacheChange::stale: whole_ = false; break;
    case CacheChange::whole: whole_ = true; break;
    }
}

CachedNodePtr CacheView::find(std::string_view path) const {
    const auto found = nodes_.find(path);
    return found == nodes_.end() ? nullptr : found->second;
}

CachedNodes CacheView::children(std::string_view path) const {
    const std::string above = path == "/" ? std::string(path) : std::string(path) + '/';
    CachedNodes children;
    auto each = nodes_.upper_bound(above);
    while (each != nodes_.end() && each->first.starts_with(above)) {
        const std::string name = each->first.substr(above.size(), each->first.find('/', above.size()) - above.size());
        if (above.size() + name.size() == each->first.size()) {
            children.emplace_hint(children.end(), name, each->second);
            ++each;
        } else {
            each = nodes_.lower_bound(above + name + static_cast<char>('/' + 1)); // after all nodes below it
        }
    }
    return children;
}

CacheCore::CacheCore(std::shared_ptr<ClientView> view, CacheShape shape, Selector selects)
    : view_(std::move(view)), shape_(std::move(shape)),
      selects_(selects ? std::make_shared<const Selector>(std::move(selects)) : nullptr), machine_(shape_) {}

void CacheCore::start() {
    if (closed_ || session_) return;
    session_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) { on_session_event(event); }));
    on_session_event(view_->session());
    perform(machine_.start());
}

void CacheCore::on_session_event(const SessionEvent& event) {
    perform(machine_.on_session(event.state == SessionState::connected));
    if (event.state != SessionState::closed) return;
    closed_ = true;
    waiting_.answer(error::closed);
}

Registration CacheCore::when_whole(Waiter waiter) {
    if (closed_ || machine_.whole()) {
        waiter(closed_ ? make_error_code(error::closed) : error_code{});
        return nullptr;
    }
    return waiting_.add(std::move(waiter));
}

Registration CacheCore::listen(Listener listener) {
    for (const auto& [path, node] : shown_.nodes()) listener({CacheChange::added, path, node});
    if (shown_.whole()) listener({CacheChange::whole});
    return listeners_.add(std::move(listener));
}

void CacheCore::close() {
    if (std::exchange(closed_, true)) return;
    session_.reset();
    timer_.reset();
    perform(machine_.close());
    waiting_.answer(error::closed);
}

void CacheCore::perform(CacheStep step) {
    {
        const std::lock_guard lock(mutex_);
        for (const CacheEvent& event : step.changes) shown_.apply(event);
    }
    for (const CacheEvent& event : step.changes) listeners_.tell(event);
    for (const CacheAction& action : step.actions) {
        std::visit([this](const auto& a) { act(a); }, action);
    }
    if (step.obstacle) waiting_.answer(step.obstacle);
    else if (machine_.whole()) waiting_.answer({});
}

void CacheCore::act(const SyncCache& action) {
    view_->submit(zk::SyncRequest{shape_.root}, [self = shared_from_this(), ticket = action.ticket](const zk::Reply& reply) {
        self->perform(self->machine_.on_synced(ticket, reply.ec));
    });
}

void CacheCore::act(const ReadCached& action) {
    const auto& sink = watches_[action.path].data = sink_of(action.path);
    view_->submit(zk::GetRequest{action.path, sink}, [self = shared_from_this(), action](zk::Reply reply) {
        const auto& [ticket, path] = action;
        if (!reply.ec) reply.ec = decode_data(self->view_->config(), path, Compression::client_default, reply.data);
        CachedNodePtr node;
        if (!reply.ec) node = std::make_shared<const CachedNode>(CachedNode{path, std::move(reply.data), reply.stat});
        self->perform(self->machine_.on_read(ticket, path, reply.ec, std::move(node)));
    });
}

void CacheCore::act(const ListCached& action) {
    const auto& sink = watches_[action.path].children = sink_of(action.path);
    view_->submit(zk::ChildrenRequest{action.path, sink}, [self = shared_from_this(), action](zk::Reply reply) {
        self->on_listed(action.ticket, action.path, std::move(reply));
    });
}

void CacheCore::on_listed(CacheTicket ticket, const std::string& path, zk::Reply reply) {
    if (!selects_ || reply.ec) return perform(machine_.on_listed(ticket, path, reply.ec, reply.children));
    // The selector is a user's function, so it does not run on the strand.
    asio::post(view_->executor(),
               [self = shared_from_this(), selects = selects_, ticket, path, names = std::move(reply.children)]() mutable {
                   if (self->silenced_) return; // the answer is not needed any more
                   std::erase_if(names, [&](const std::string& name) {
                       return self->silenced_ || !(*selects)(join_path(path, name)); // the cache may end between two calls
                   });
                   const auto view = self->view_;
                   view->post([self = std::move(self), ticket, path, names = std::move(names)] {
                       self->perform(self->machine_.on_listed(ticket, path, {}, names));
                   });
               });
}

void CacheCore::act(const AwaitRoot& action) {
    const auto& sink = watches_[action.path].data = sink_of(action.path);
    view_->submit(zk::ExistsRequest{action.path, sink},
                  [self = shared_from_this(), ticket = action.ticket](const zk::Reply& reply) {
                      self->perform(self->machine_.on_awaited(ticket, reply.ec));
                  });
}

void CacheCore::act(const ForgetCached& action) {
    const auto found = watches_.find(action.path);
    if (found == watches_.end()) return;
    const bool listed = found->second.children != nullptr;
    watches_.erase(found); // first, so that no event is delivered
    view_->forget_watch(action.path, zk::WatchKind::data);
    if (action.path == shape_.root) view_->forget_watch(action.path, zk::WatchKind::exists);
    if (listed) view_->forget_watch(action.path, zk::WatchKind::children);
}

void CacheCore::act(const PauseCache& action) {
    timer_ = view_->call_after(action.length, while_alive(weak_from_this(), [this] { perform(machine_.on_pause_over()); }));
}

/// Makes a new sink for each read. The sink of the earlier read gets no event any more.
zk::WatchSink CacheCore::sink_of(const std::string& path) {
    return zk::make_watch_sink(
        while_alive(weak_from_this(), [this, path](const WatchEvent& event) { perform(machine_.on_watch(path, event.type)); }));
}

// ---- the calls

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
        session_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) {
            const bool connected = event.state == SessionState::connected;
            if (std::exchange(connected_, connected) && !connected) limit_outage();
        }));
        limit_outage();
    }
    void abort(error_code ec) override {
        core_->start();
        const auto last = std::exchange(registration_, nullptr); // may own this object
        session_.reset();
        finish(ec);
    }

private:
    /// Ends the wait if the client does not connect in time.
    void limit_outage() {
        when_connected([this] { connected_ = true; });
    }

    std::shared_ptr<CacheCore> core_;
    Registration registration_;
    Registration session_;
    bool connected_ = false;
};

} // namespace

asio::any_io_executor executor_of(const CacheCore& core) {
    return core.view()->executor();
}

void initiate_cache_start(const std::shared_ptr<CacheCore>& core, CallOptions call, Handler<> handler) {
    launch_made<AwaitWholeOperation>(core->view(), {"cache_start", core->root()}, std::move(call), std::move(handler), core);
}

} // namespace detail

std::string_view to_string(CacheChange change) noexcept {
    switch (change) {
    case CacheChange::added: return "added";
    case CacheChange::changed: return "changed";
    case CacheChange::removed: return "removed";
    case CacheChange::refused: return "refused";
    case CacheChange::stale: return "stale";
    case CacheChange::whole: return "whole";
    }
    return "unknown";
}

CacheBase::CacheBase(Client& client, const char* what, const detail::CacheShape& shape, CacheSelector selector) {
    detail::require_path(std::string(what) + " of", shape.root);
    core_ = std::make_shared<detail::CacheCore>(detail::Access::open_view(client, what), shape, std::move(selector));
    auto end = detail::post_at_end(core_->view(), [core = core_] { core->close(); });
    keeping_ = std::shared_ptr<void>(core_.get(), [core = core_, end = std::move(end)](void*) mutable noexcept {
        core->silence();
        end.reset();
        core.reset();
    });
}

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
    : Rebindable(client, "node cache", {.root = std::string(path), .depth = 0}, {}) {}

PathChildrenCache::PathChildrenCache(Client& client, std::string_view path, CacheSelector selector)
    : Rebindable(client, "path children cache", {.root = std::string(path), .shows_root = false, .depth = 1},
                 std::move(selector)) {}

CachedNodePtr PathChildrenCache::get(std::string_view name) const {
    return find(join_path(path(), name));
}

TreeCache::TreeCache(Client& client, std::string_view path, TreeCacheOptions options)
    : Rebindable(client, "tree cache", {.root = std::string(path), .depth = options.max_depth}, std::move(options.selector)) {}

} // namespace docent
