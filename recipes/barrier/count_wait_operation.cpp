// SPDX-License-Identifier: Apache-2.0
#include "barrier/count_wait_operation.hpp"

#include "atomic/number_bytes.hpp"
#include "client/data/data_codec.hpp"

namespace docent::detail {

/// As the leader knows it.
void CountWaitOperation::look() {
    ask_synced(zk::GetRequest{path(), watch_}, [this](zk::Reply reply) { on_read(std::move(reply)); });
}

void CountWaitOperation::on_read(zk::Reply reply) {
    if (looks_again_after(reply.ec)) return;
    if (reply.ec == server_error::no_node) { // nobody has counted down yet
        return ask(zk::ExistsRequest{path(), watch_}, [this](const zk::Reply& seen) {
            if (looks_again_after(seen.ec)) return;
            if (!seen.ec) return look();
            seen.ec == server_error::no_node ? rest() : end(seen.ec);
        });
    }
    error_code ec = reply.ec;
    if (!ec) ec = decode_data(view_->config(), path(), Compression::client_default, reply.data);
    const std::int64_t counted = ec ? 0 : decode_number(reply.data, ec);
    if (ec || core_->left(counted) == 0) return end(ec);
    rest();
}

void CountWaitOperation::on_end(error_code) {
    view_->forget_watch(path(), zk::WatchKind::data);
    view_->forget_watch(path(), zk::WatchKind::exists);
}

} // namespace docent::detail
