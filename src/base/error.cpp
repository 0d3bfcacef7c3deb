// SPDX-License-Identifier: Apache-2.0
#include "base/reply_too_large.hpp"

#include <docent/error.hpp>

#include <boost/asio/error.hpp>

#include <atomic>
#include <cstddef>
#include <string>

namespace docent {
namespace {

// Categories are compared by fixed numbers, so that copies in two libraries of one program are equal.
class ServerCategory final : public boost::system::error_category {
public:
    constexpr ServerCategory() : error_category(0xa3b74effb9c7c2bb) {}

    const char* name() const noexcept override { return "zookeeper"; }

    std::string message(int value) const override {
        switch (static_cast<server_error>(value)) {
        case server_error::system_error: return "system error in the client";
        case server_error::runtime_inconsistency: return "connection lost (replies out of step)";
        case server_error::data_inconsistency: return "data inconsistency";
        case server_error::connection_loss: return "connection lost";
        case server_error::marshalling_error: return "request or reply could not be encoded";
        case server_error::unimplemented: return "not enabled or not implemented on the server";
        case server_error::operation_timeout: return "no answer in time";
        case server_error::bad_arguments: return "bad arguments";
        case server_error::invalid_state: return "invalid client state";
        case server_error::unknown_session: return "unknown session";
        case server_error::new_config_no_quorum: return "no quorum of the new configuration is connected";
        case server_error::reconfig_in_progress: return "another reconfiguration is in progress";
        case server_error::api_error: return "API error";
        case server_error::no_node: return "no such node";
        case server_error::no_auth: return "not permitted by the node's ACL";
        case server_error::bad_version: return "the node has another version";
        case server_error::no_children_for_ephemerals: return "ephemeral nodes cannot have children";
        case server_error::node_exists: return "the node exists already";
        case server_error::not_empty: return "the node has children";
        case server_error::session_expired: return "the session has expired";
        case server_error::invalid_callback: return "invalid callback";
        case server_error::invalid_acl: return "invalid ACL";
        case server_error::auth_failed: return "authentication failed";
        case server_error::closing: return "the client is closing";
        case server_error::nothing: return "nothing to do";
        case server_error::session_moved: return "the session has moved to another server";
        case server_error::not_read_only: return "the server is read-only";
        case server_error::ephemeral_on_local_session: return "a local session cannot make ephemeral nodes";
        case server_error::no_watcher: return "no such watcher";
        case server_error::reconfig_disabled: return "reconfiguration is disabled on the server";
        case server_error::session_closed_require_sasl_auth: return "the server requires SASL authentication";
        case server_error::quota_exceeded: return "a quota would be exceeded";
        case server_error::throttled: return "the server is overloaded and dropped the request";
        }
        return "unknown server error " + std::to_string(value);
    }

    boost::system::error_condition default_error_condition(int value) const noexcept override { return {value, *this}; }
};

constexpr boost::ulong_long_type docent_category_id = 0x4f4b3b27b29cc21c;

class DocentCategory final : public boost::system::error_category {
public:
    constexpr DocentCategory() : error_category(docent_category_id) {}

    const char* name() const noexcept override { return "docent"; }

    std::string message(int value) const override {
        switch (static_cast<error>(value)) {
        case error::closed: return "the client is closed";
        case error::not_connected: return "not connected to any server";
        case error::lease_lost: return "the lock was lost";
        case error::lock_node_deleted: return "another client deleted the waiter's node";
        case error::not_acquired: return "the lock was not acquired in time";
        case error::would_deadlock:
            return "the call would wait for itself: on a thread that runs the client, or that holds the lock";
        case error::not_owner: return "the calling thread does not hold the lock";
        case error::invalid_path: return "invalid path";
        case error::too_large: return "request larger than a server accepts (1 MiB)";
        case error::too_many_watches: return "too many watches on one client (their paths exceed 900 kB)";
        case error::not_applied: return "not applied: another operation of the transaction failed";
        case error::corrupt_data: return "the data is not compressed as expected, or is damaged";
        case error::invalid_config: return "invalid configuration";
        case error::executor_idle: return "no thread runs the client's executor (io_context::run() or the like)";
        case error::reply_too_large:
            return "the answer is larger than this client reads (64 MiB), or takes longer than a third of the session timeout";
        case error::numbers_used_up: return "the node has no sequence numbers left for its children and must be made anew";
        case error::not_started: return "not started; call start() first";
        case error::other_process: return "the client belongs to another process; make a new client after fork()";
        case error::lease_released: return "the lock was released before";
        case error::tls_failed: return "TLS fails with every server";
        }
        return "unknown error " + std::to_string(value);
    }
};

/// The category of codes that name the size of an answer: an error_code has no other room for it. Equal to docent_category().
class AnswerSizeCategory final : public boost::system::error_category {
public:
    const char* name() const noexcept override { return docent_category().name(); }

    std::string message(int value) const override {
        if (value != static_cast<int>(error::reply_too_large)) return docent_category().message(value);
        const std::string size =
            size_ < mebibyte ? std::to_string(size_ / kibibyte) + " KiB" : std::to_string(size_ / mebibyte) + " MiB";
        if (size_ > detail::longest_answer) return "the answer has " + size + ", more than this client reads (64 MiB)";
        return "the answer has " + size + " and takes longer than a third of the session timeout; use a longer session timeout";
    }

    /// Returns the category for this size, rounded up so that there are few of them. They are never destroyed, because codes
    /// refer to them.
    static const AnswerSizeCategory& of(std::size_t size) {
        const std::size_t unit = size < mebibyte ? kibibyte : mebibyte;
        const std::size_t rounded = (size + unit - 1) / unit * unit;
        static std::atomic<const AnswerSizeCategory*> newest{nullptr};
        const AnswerSizeCategory* known = newest.load();
        for (const auto* each = known; each != nullptr; each = each->older_) {
            if (each->size_ == rounded) return *each;
        }
        auto* const added = new AnswerSizeCategory(rounded, known);
        while (!newest.compare_exchange_weak(added->older_, added)) {
        }
        return *added;
    }

private:
    static constexpr std::size_t kibibyte = 1U << 10U;
    static constexpr std::size_t mebibyte = 1U << 20U;

    AnswerSizeCategory(std::size_t size, const AnswerSizeCategory* older)
        : error_category(docent_category_id), size_(size), older_(older) {}

    std::size_t size_;
    const AnswerSizeCategory* older_;
};

bool is_retryable(const error_code& ec) {
    return ec == server_error::connection_loss || ec == server_error::operation_timeout ||
           ec == server_error::runtime_inconsistency || ec == server_error::session_moved || ec == server_error::throttled ||
           ec == error::not_connected;
}

bool is_outcome_unknown(const error_code& ec) {
    return ec == server_error::connection_loss || ec == server_error::operation_timeout ||
           ec == server_error::runtime_inconsistency || ec == server_error::session_expired ||
           ec == server_error::auth_failed || ec == server_error::closing || ec == error::executor_idle;
}

bool is_session_ended(const error_code& ec) {
    return ec == server_error::session_expired || ec == server_error::auth_failed || ec == server_error::unknown_session ||
           ec == error::lease_lost;
}

class ConditionCategory final : public boost::system::error_category {
public:
    constexpr ConditionCategory() : error_category(0x32dcf60dc8c580ab) {}

    const char* name() const noexcept override { return "docent.condition"; }

    std::string message(int value) const override {
        switch (static_cast<condition>(value)) {
        case condition::retryable: return "may succeed when tried again";
        case condition::outcome_unknown: return "may or may not have been applied";
        case condition::session_ended: return "the session has ended";
        }
        return "unknown condition " + std::to_string(value);
    }

    bool equivalent(const error_code& ec, int value) const noexcept override {
        if (!ec) return false; // the common case: asked for each reply
        switch (static_cast<condition>(value)) {
        case condition::retryable: return is_retryable(ec);
        case condition::outcome_unknown: return is_outcome_unknown(ec);
        case condition::session_ended: return is_session_ended(ec);
        }
        return false;
    }
};

} // namespace

const boost::system::error_category& server_category() noexcept {
    static const ServerCategory category;
    return category;
}

const boost::system::error_category& docent_category() noexcept {
    static const DocentCategory category;
    return category;
}

const boost::system::error_category& condition_category() noexcept {
    static const ConditionCategory category;
    return category;
}

error_code make_error_code(server_error e) noexcept {
    return {static_cast<int>(e), server_category()};
}

error_code make_error_code(error e) noexcept {
    return {static_cast<int>(e), docent_category()};
}

error_code detail::reply_too_large(std::size_t size) {
    return {static_cast<int>(error::reply_too_large), AnswerSizeCategory::of(size)};
}

error_condition make_error_condition(condition c) noexcept {
    return {static_cast<int>(c), condition_category()};
}

} // namespace docent
