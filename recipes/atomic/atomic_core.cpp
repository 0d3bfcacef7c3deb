// SPDX-License-Identifier: Apache-2.0

#include "atomic/atomic_core.hpp"
#include "base/time_over.hpp"
#include "base/while_alive.hpp"
#include "client/data/data_codec.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace docent::detail {
namespace {

constexpr std::size_t marker_place = 0; // index in the transaction
constexpr std::size_t value_place = 1;

/// The error of this operation, if the server has refused it. Operations after the refused one have "runtime inconsistency".
error_code refusal(const zk::Reply& reply, std::size_t place) {
    if (place >= reply.results.size()) return {};
    const error_code ec = reply.results[place].ec;
    return ec == server_error::runtime_inconsistency ? error_code{} : ec;
}

} // namespace

zk::Request AtomicMarker::write(const std::string& path, std::string data, const WriteValue& how) {
    zk::MultiRequest both;
    both.operations.emplace_back(next());
    if (how.create) both.operations.emplace_back(zk::CreateRequest{.path = path, .data = std::move(data)});
    else both.operations.emplace_back(zk::SetRequest{path, std::move(data), how.version});
    return both;
}

WriteAnswer AtomicMarker::on_written(const zk::Reply& reply) {
    using enum WriteAnswer::Kind;
    if (!reply.ec) {
        on_applied();
        return {applied};
    }
    if (is_lost(reply.ec)) return {lost, reply.ec};
    if (const error_code ec = refusal(reply, marker_place)) {
        return {is_gone(ec) ? no_marker : failed, ec};
    }
    if (const error_code ec = refusal(reply, value_place)) return {refused, ec};
    return {failed, reply.ec};
}

namespace {

constexpr std::string_view marker_prefix = "atomic-";
constexpr std::size_t most_looked_at = 16; // markers of other objects to examine

} // namespace

void AtomicCore::take_turn(std::function<void()> begin) {
    if (std::exchange(busy_, true)) return waiting_.push_back(std::move(begin));
    begin();
}

void AtomicCore::end_turn() {
    busy_ = !waiting_.empty();
    if (busy_) {
        view_->post(std::move(waiting_.front()));
        return waiting_.pop_front();
    }
    if (stopped_) stop();
}

void AtomicCore::read(ClientView& through, std::function<void(error_code, SeenValue)> done) {
    if (!session_) {
        session_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent&) { forget(); }));
    }
    forget();
    const auto watch = zk::make_watch_sink(nullptr);
    *watch = while_alive(weak_from_this(), [this, mine = std::weak_ptr(watch)](const WatchEvent&) {
        if (watch_ == mine.lock()) forget();
    });
    watch_ = watch;
    through.submit(zk::GetRequest{path_, watch}, [self = shared_from_this(), watch, done = std::move(done)](zk::Reply reply) {
        SeenValue seen;
        error_code ec = reply.ec;
        if (!ec) {
            ec = decode_data(self->view_->config(), self->path_, Compression::client_default, reply.data);
            seen = {std::move(reply.data), reply.stat.version};
        }
        const bool missing = ec == server_error::no_node;
        // A later read has newer data. A missing node has no watch, so it is not remembered.
        if (!ec && self->watch_ == watch) self->known_ = seen;
        done(missing ? error_code{} : ec, std::move(seen));
    });
}

AtomicMarker& AtomicCore::marker() {
    if (!marker_) marker_.emplace(join_path(options_.marker_parent, std::string(marker_prefix) + view_->new_guid()));
    return *marker_;
}

void AtomicCore::drop_marker() {
    if (marker_) view_->remove_in_background({marker_->path()});
    marker_.reset();
}

void AtomicCore::clear_away_markers(std::int64_t now) {
    if (std::exchange(cleared_away_, true)) return;
    const auto look = [self = shared_from_this(), now](const zk::Reply& reply) {
        const auto& names = reply.children;
        const auto first = static_cast<std::size_t>(self->view_->random());
        for (std::size_t n = 0; n < std::min(names.size(), most_looked_at); ++n) {
            const std::string& name = names[(first + n) % names.size()];
            if (!name.starts_with(marker_prefix)) continue;
            self->look_at_marker(join_path(self->options_.marker_parent, name), now);
        }
    };
    view_->submit(zk::ChildrenRequest{options_.marker_parent}, look);
}

void AtomicCore::look_at_marker(const std::string& path, std::int64_t now) {
    if (marker_ && marker_->path() == path) return;
    view_->submit(zk::ExistsRequest{path}, [self = shared_from_this(), path, now](const zk::Reply& reply) {
        if (reply.ec || reply.stat.mtime + self->abandoned_after_.count() > now) return;
        self->view_->submit(zk::RemoveRequest{path, reply.stat.version},
                            [](const auto&) {}); // fails if it is written meanwhile
    });
}

void AtomicCore::stop() {
    stopped_ = true;
    session_.reset();
    if (std::exchange(watch_, nullptr)) view_->forget_watch(path_, zk::WatchKind::data);
    forget();
    if (!busy_) drop_marker();
}

} // namespace docent::detail
