// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/barrier/count_down_latch.hpp>

#include "atomic/atomic_calls.hpp"
#include "barrier/count_down_core.hpp"
#include "barrier/watching_operation.hpp"
#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "shared/number_bytes.hpp"

#include <utility>

namespace docent {
namespace detail {
namespace {

/// Waits until no counts are left.
class CountWaitOperation final : public WatchingOperation {
public:
    CountWaitOperation(std::shared_ptr<ClientView> view, std::shared_ptr<CountDownCore> core, Done<> done)
        : WatchingOperation(std::move(view), std::move(done)), core_(std::move(core)) {}

private:
    /// Reads the node after a sync.
    void look() override {
        ask_synced(zk::GetRequest{path(), watch_}, [this](zk::Reply reply) {
            if (looks_again_after(reply.ec)) return;
            if (reply.ec == server_error::no_node) return await_node(); // there is no count yet
            error_code ec = reply.ec;
            if (!ec) ec = decode_data(view_->config(), path(), Compression::client_default, reply.data);
            const std::int64_t counted = ec ? 0 : decode_number(reply.data, ec);
            if (ec || core_->left(counted) == 0) return end(ec);
            rest();
        });
    }
    /// A read of a missing node has set no watch.
    void await_node() {
        ask(zk::ExistsRequest{path(), watch_}, [this](const zk::Reply& reply) {
            if (looks_again_after(reply.ec)) return;
            if (!reply.ec) return look(); // the node exists by now
            reply.ec == server_error::no_node ? rest() : end(reply.ec);
        });
    }
    void on_end(error_code) override {
        view_->forget_watch(path(), zk::WatchKind::data);
        view_->forget_watch(path(), zk::WatchKind::exists);
    }

    const std::string& path() const { return core_->counter()->path(); }

    const std::shared_ptr<CountDownCore> core_;
};

} // namespace

asio::any_io_executor executor_of(const CountDownCore& core) {
    return core.counter()->view()->executor();
}

void initiate_count_down(const std::shared_ptr<CountDownCore>& core, std::int64_t times, CallOptions call, Handler<> handler) {
    Change change = [times](const std::optional<std::string>& before) { return count_on(before, times); };
    launch_certain_change(core->counter(), "count_down", {.change = std::move(change)}, std::move(call), std::move(handler));
}

void initiate_count_wait(const std::shared_ptr<CountDownCore>& core, CallOptions call, Handler<> handler) {
    launch_made<CountWaitOperation>(core->counter()->view(), {"count_wait", core->counter()->path()}, std::move(call),
                                    std::move(handler), core);
}

void initiate_count_left(const std::shared_ptr<CountDownCore>& core, CallOptions call, Handler<std::int64_t> handler) {
    launch_get<std::int64_t>(core->counter(), std::move(call), std::move(handler),
                             [core](error_code& ec, const AtomicBytes& found) {
                                 const std::int64_t counted = decode_number(found.before, ec);
                                 return ec ? 0 : core->left(counted);
                             });
}

} // namespace detail

CountDownLatch::CountDownLatch(Client& client, std::string_view path, std::int64_t count) {
    detail::require_path("count-down latch", path);
    if (count < 1) detail::throw_if(server_error::bad_arguments, "count-down latch", path, "the count must be at least 1");
    auto counter = std::make_shared<detail::AtomicCore>(detail::Access::open_view(client, "count-down latch"),
                                                        std::string(path), AtomicOptions{});
    core_ = std::make_shared<detail::CountDownCore>(std::move(counter), count);
}

const std::string& CountDownLatch::path() const noexcept {
    return core_->counter()->path();
}

void CountDownLatch::count_down(std::int64_t times, error_code& ec, CallOptions call) {
    detail::block<>(*core_->counter()->view(), std::move(call), ec, detail::initiate_count_down, core_, times);
}

void CountDownLatch::count_down(std::int64_t times, CallOptions call) {
    detail::throwing("count down the latch", path(), [&](error_code& ec) { count_down(times, ec, std::move(call)); });
}

void CountDownLatch::wait(error_code& ec, CallOptions call) const {
    detail::block<>(*core_->counter()->view(), std::move(call), ec, detail::initiate_count_wait, core_);
}

void CountDownLatch::wait(CallOptions call) const {
    detail::throwing("wait at the latch", path(), [&](error_code& ec) { wait(ec, std::move(call)); });
}

std::int64_t CountDownLatch::left(error_code& ec, CallOptions call) const {
    return detail::block<std::int64_t>(*core_->counter()->view(), std::move(call), ec, detail::initiate_count_left, core_);
}

std::int64_t CountDownLatch::left(CallOptions call) const {
    return detail::throwing("read the latch", path(), [&](error_code& ec) { return left(ec, std::move(call)); });
}

} // namespace docent
