// SPDX-License-Identifier: Apache-2.0
#include "zk/request_check.hpp"

#include <docent/path.hpp>

namespace docent::zk {
namespace {

constexpr std::size_t header_size = 8; // xid, type
constexpr std::size_t number_size = 4;

std::size_t size_of(const std::string& text) {
    return number_size + text.size();
}

struct BodySize {
    std::size_t operator()(const CreateRequest& r) const {
        std::size_t size = size_of(r.path) + size_of(r.data) + 2 * number_size + 2 * number_size; // acl count, mode, ttl
        for (const AclEntry& entry : r.acl) size += number_size + size_of(entry.scheme) + size_of(entry.id);
        return size;
    }
    std::size_t operator()(const SetRequest& r) const { return size_of(r.path) + size_of(r.data) + number_size; }
    std::size_t operator()(const RemoveRequest& r) const { return size_of(r.path) + number_size; }
    std::size_t operator()(const SyncRequest& r) const { return size_of(r.path); }
    std::size_t operator()(const CheckRequest& r) const { return size_of(r.path) + number_size; }
    std::size_t operator()(const MultiRequest& r) const {
        constexpr std::size_t multi_header = 2 * number_size + 1; // type, done, error
        std::size_t size = multi_header;
        for (const MultiOperation& operation : r.operations) size += multi_header + std::visit(*this, operation);
        return size;
    }
    std::size_t operator()(const auto& read) const { return size_of(read.path) + 1; } // watch flag
};

constexpr std::int64_t max_ttl = 0xff'ffff'ffff; // EphemeralType.TTL keeps 40 bits

error_code check_fields(const CreateRequest& create) {
    // A sequential create's path need not be valid before the server has appended its digits.
    if (auto ec = check_path(is_sequential(create.mode) ? create.path + "0" : create.path)) return ec;
    if (create.acl.empty()) return server_error::invalid_acl;
    if (has_ttl(create.mode) && (create.ttl.count() <= 0 || create.ttl.count() > max_ttl)) return server_error::bad_arguments;
    return {};
}

error_code check_fields(const auto& request) {
    return check_path(request.path);
}

/// The C client would abort the process on most of what is refused here (zookeeper-c-client.md 5).
error_code check_fields(const MultiRequest& multi) {
    for (const MultiOperation& operation : multi.operations) {
        if (auto ec = std::visit([](const auto& o) { return check_fields(o); }, operation)) return ec;
        const auto* create = std::get_if<CreateRequest>(&operation);
        if (create && (create->mode == CreateMode::container || has_ttl(create->mode))) return server_error::unimplemented;
    }
    return {};
}

} // namespace

std::size_t encoded_size(const Request& request) {
    return header_size + std::visit(BodySize{}, request);
}

error_code check_request(const Request& request) {
    if (auto ec = std::visit([](const auto& r) { return check_fields(r); }, request)) return ec;
    if (encoded_size(request) > max_request_size) return error::too_large;
    return {};
}

} // namespace docent::zk
