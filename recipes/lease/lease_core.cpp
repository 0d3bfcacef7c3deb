// SPDX-License-Identifier: Apache-2.0
#include "lease/lease_core.hpp"

#include "base/protection.hpp"
#include "base/while_alive.hpp"
#include "client/core/access.hpp"
#include "client/data/data_codec.hpp"

#include <docent/path.hpp>
#include <docent/recipes/inspection.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace docent::detail {

LeaseTerms lease_terms(const ClientView& view, const std::string& path, LockOptions options) {
    const auto refuse = [&](const char* why) { throw Error(server_error::bad_arguments, path + ": " + why); };
    if (options.max_hold && *options.max_hold <= options.max_hold->zero()) refuse("max_hold must be longer than 0");
    if (options.keep_for < options.keep_for.zero()) refuse("keep_for must not be negative");
    if (options.owner && !is_owner(*options.owner)) {
        refuse("owner must be 1 to 200 printable ASCII characters without a space");
    }
    if (!options.node_data && options.owner) options.node_data = view.config().default_data.value_or("");
    if (!options.node_data) return options;
    if (options.owner) options.node_data = with_owner(std::move(*options.node_data), *options.owner);
    const error_code ec = encode_data(view.config(), path, Compression::client_default, *options.node_data);
    if (ec) throw Error(ec, "node data of " + path);
    return options;
}

const std::string& data_of_node(const ClientView& view, const LeaseTerms& terms) {
    return terms.node_data ? *terms.node_data : view.default_data();
}

zk::CreateRequest make_queue_node(const ClientView& view, const LeaseTerms& terms, std::string_view path,
                                  std::string_view guid) {
    return {.path = protected_path(path, guid), .data = data_of_node(view, terms), .mode = CreateMode::ephemeral_sequential};
}

LockArguments check_lock(const Client& client, const char* type, std::string_view path, LockOptions options, Grants grants) {
    const std::string lock = std::string(type) + ' ' + std::string(path);
    if (const error_code ec = check_path(path)) throw Error(ec, lock + ": " + explain_path(path));
    if (grants == Grants::permits && options.others != OtherContenders{}) {
        throw Error(server_error::bad_arguments, lock + ": a semaphore has no queue for LockOptions::others; leave it empty");
    }
    if (grants == Grants::permits && (options.keep_for != options.keep_for.zero() || options.max_local_handovers != 0)) {
        throw Error(server_error::bad_arguments,
                    lock + ": keep_for and max_local_handovers are not for permits; leave them at 0");
    }
    LockArguments lock_arguments{.view = Access::open_view(client, type), .path = std::string(path)};
    lock_arguments.others = make_other_names(std::move(options.others), path);
    lock_arguments.terms = lease_terms(*lock_arguments.view, lock_arguments.path, std::move(options));
    return lock_arguments;
}

// ---- the hold and its node

std::chrono::nanoseconds LeaseCore::remaining() noexcept {
    const auto of_hold = remaining_hold();
    return of_hold ? std::min(*of_hold, margin()) : margin();
}

std::optional<std::chrono::nanoseconds> LeaseCore::remaining_hold() noexcept {
    const auto until = owns() ? hold_.until() : std::nullopt;
    if (!until) return std::chrono::nanoseconds{0};
    if (*until == Hold::for_ever) return std::nullopt;
    return std::max<std::chrono::nanoseconds>(*until - boot_now()(), {});
}

error_code LeaseCore::extend(std::chrono::milliseconds from_now) noexcept {
    if (from_now <= from_now.zero()) return server_error::bad_arguments;
    const auto now = boot_now()();
    if (owns() && hold_.extend(now, Hold::end_after(now, from_now))) return {};
    return error::lease_lost;
}

std::string LeaseCore::data() const {
    std::string data = node().encoded_data;
    // The data was encoded with the same configuration, so this cannot fail.
    static_cast<void>(decode_data(view()->config(), path(), Compression::client_default, data));
    return split_owner(std::move(data)).data;
}

bool LeaseCore::has_lapsed() const noexcept {
    const auto ended = hold_.state();
    return ended == LeaseState::lost || ended == LeaseState::expired;
}

void LeaseCore::await_expiry() {
    const auto until = hold_.until();
    if (!until || *until == Hold::for_ever) return;
    const auto on_time = [this] { owns() ? await_expiry() : on_expired(); };
    expiry_ = view()->call_at(view()->now() + (*until - boot_now()()), while_alive(weak_from_this(), on_time));
}

// ---- the audience

void LeaseCore::need_audience() {
    if (audience_) return;
    audience_.emplace();
    has_audience_ = true; // before the caller reads the hold: pairs with has_audience() after the end of the hold
}

std::stop_token LeaseCore::stop_token() noexcept {
    std::unique_lock lock(audience_mutex_);
    const bool first = !audience_;
    need_audience();
    auto token = audience_->stop.get_token();
    lock.unlock();
    if (first) attend();
    return token;
}

void LeaseCore::ask_to_stop() noexcept {
    std::unique_lock lock(audience_mutex_);
    need_audience();
    auto stop = audience_->stop;
    lock.unlock();
    stop.request_stop();
}

void LeaseCore::make_revocable(RevocationListenerPtr listener) {
    bool held = false;
    {
        const std::lock_guard lock(audience_mutex_);
        need_audience(); // first: the end of the hold sees the audience, or is seen here
        held = hold_.state() == LeaseState::held;
        if (held) audience_->listener.swap(listener); // the old listener is destroyed outside of the mutex
    }
    attend(); // also after the end: a later stop_token() finds an audience, and does not call attend()
    if (held) view()->post([self = shared_from_this()] { self->on_made_revocable(); });
}

bool LeaseCore::has_listener() const {
    const std::lock_guard lock(audience_mutex_);
    return audience_ && audience_->listener;
}

void LeaseCore::drop_listener() noexcept {
    if (!has_audience()) return;
    RevocationListenerPtr last; // destroyed outside of the mutex: it may own a lease
    const std::lock_guard lock(audience_mutex_);
    audience_->listener.swap(last);
}

void LeaseCore::on_asked_for() {
    if (!owns()) return;
    if (span_) span_->on_revocation_request();
    // Locked until the call is posted: a thread that ends the lease waits in drop_listener(), and may then end the executor.
    const std::lock_guard lock(audience_mutex_);
    if (!audience_ || !audience_->listener || audience_->told) return;
    asio::post(audience_->listener->executor,
               [self = shared_from_this(), listener = audience_->listener] { self->tell_of_request(listener); });
}

/// Calls the listener, unless make_revocable() has replaced it: then the new listener hears of the request by its own read.
void LeaseCore::tell_of_request(const RevocationListenerPtr& listener) {
    if (!owns()) return; // without the mutex: this may end the hold
    {
        const std::lock_guard lock(audience_mutex_);
        if (!audience_ || audience_->listener != listener || std::exchange(audience_->told, true)) return;
    }
    listener->function(path());
}

Registration LeaseCore::when_over(std::function<void(error_code)> done) {
    if (is_over()) {
        done(end_code());
        return nullptr;
    }
    Registration registration;
    {
        const std::lock_guard lock(audience_mutex_);
        need_audience();
        registration = audience_->waiting.add(std::move(done));
    }
    attend();
    return registration;
}

void LeaseCore::tell_end() {
    if (hold_.state() == LeaseState::held) return;
    std::unique_lock lock(audience_mutex_);
    if (!audience_) return;
    auto waiting = std::exchange(audience_->waiting, {});
    auto stop = audience_->stop;
    lock.unlock();
    if (has_lapsed()) stop.request_stop();
    waiting.answer(end_code());
}

error_code LeaseCore::end_code() const noexcept {
    return has_lapsed() ? error_code{} : error_code{asio::error::operation_aborted};
}

void conclude(const std::shared_ptr<LeaseSpan>& span, error_code ec, LeaseCore* core) {
    if (!span) return;
    if (!core) return span->on_refused(ec);
    span->on_granted();
    core->trace(span);
}

} // namespace docent::detail
