// SPDX-License-Identifier: Apache-2.0

#include "barrier/count_down_core.hpp"
#include "client/data/data_codec.hpp"

#include <variant>

namespace docent::detail {

/// Reads the node after a sync.
void CountWaitOperation::look() {
    ask_synced(zk::GetRequest{path(), watch_}, [this](zk::Reply reply) { on_read(std::move(reply)); });
}

void CountWaitOperation::on_read(zk::Reply reply) {
    if (looks_again_after(reply.ec)) return;
    error_code ec = reply.ec;
    if (!ec) ec = decode_data(view_->config(), path(), Compression::client_default, reply.data);
    std::visit([this](const auto& step) { act(step); }, after_read(ec, reply.data, core_->count()));
}

void CountWaitOperation::act(const ItIsDown&) {
    end({});
}

void CountWaitOperation::act(const WatchForNode&) {
    ask(zk::ExistsRequest{path(), watch_}, [this](const zk::Reply& reply) {
        if (looks_again_after(reply.ec)) return;
        std::visit([this](const auto& step) { act(step); }, after_look(reply.ec));
    });
}

void CountWaitOperation::act(const ReadAgain&) {
    look();
}

void CountWaitOperation::act(const AwaitCount&) {
    rest();
}

void CountWaitOperation::act(const WaitFails& step) {
    end(step.ec);
}

void CountWaitOperation::on_end(error_code) {
    view_->forget_watch(path(), zk::WatchKind::data);
    view_->forget_watch(path(), zk::WatchKind::exists);
}

} // namespace docent::detail
