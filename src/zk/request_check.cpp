// SPDX-License-Identifier: Apache-2.0
#include "zk/request_check.hpp"

#include <docent/path.hpp>

namespace docent::zk {
namespace {

constexpr std::size_t request_header_size = 8; // xid, type
constexpr std::size_t number_size = 4;

std::size_t size_of(const std::string& text) {
    return number_size + text.size();
}

std::size_t size_of(const Acl& acl) {
    std::size_t size = number_size;
    for (const AclEntry& entry : acl) size += number_size + size_of(entry.scheme) + size_of(entry.id);
    return size;
}

struct BodySize {
    std::size_t operator()(const CreateRequest& r) const {
        return size_of(r.path) + size_of(r.data) + size_of(r.acl) + 3 * number_size; // mode, ttl
    }
    std::size_t operator()(const SetRequest& r) const { return size_of(r.path) + size_of(r.data) + number_size; }
    std::size_t operator()(const RemoveRequest& r) const { return size_of(r.path) + number_size; }
    std::size_t operator()(const SyncRequest& r) const { return size_of(r.path); }
    std::size_t operator()(const CheckRequest& r) const { return size_of(r.path) + number_size; }
    std::size_t operator()(const GetAclRequest& r) const { return size_of(r.path); }
    std::size_t operator()(const SetAclRequest& r) const { return size_of(r.path) + size_of(r.acl) + number_size; }
    std::size_t operator()(const ReconfigRequest& r) const {
        return size_of(r.joining) + size_of(r.leaving) + size_of(r.members) + 2 * number_size;
    }
    std::size_t operator()(const MultiRequest& r) const {
        constexpr std::size_t multi_header = 2 * number_size + 1; // type, done, error
        std::size_t size = multi_header;
        for (const MultiOperation& operation : r.operations) size += multi_header + std::visit(*this, operation);
        return size;
    }
    std::size_t operator()(const auto& read) const { return size_of(read.path) + 1; } // watch flag
};

constexpr std::int64_t max_ttl = 0xff'ffff'ffff; // EphemeralType.TTL keeps 40 bits

error_code check_path_of(const CreateRequest& create) {
    const error_code ec = check_path(create.path);
    // A sequential create's path need not be valid before the server has appended its digits.
    return ec && is_sequential(create.mode) ? check_path(create.path + "0") : ec;
}

error_code check_path_of(const MultiRequest& multi) {
    for (const MultiOperation& operation : multi.operations) {
        const auto* create = std::get_if<CreateRequest>(&operation);
        const auto path_fault = [](const auto& o) { return check_path(o.path); };
        if (auto ec = create != nullptr ? check_path_of(*create) : std::visit(path_fault, operation)) return ec;
    }
    return {};
}

error_code check_path_of(const auto& request) {
    if constexpr (requires { request.path; }) return check_path(request.path);
    else return {};
}

error_code check_rest(const CreateRequest& create) {
    if (create.acl.empty()) return server_error::invalid_acl;
    if (has_ttl(create.mode) && (create.ttl.count() <= 0 || create.ttl.count() > max_ttl)) return server_error::bad_arguments;
    return {};
}

error_code check_rest(const SetAclRequest& set) {
    return set.acl.empty() ? make_error_code(server_error::invalid_acl) : error_code{};
}

error_code check_rest(const ReconfigRequest& reconfig) {
    const bool incremental = !reconfig.joining.empty() || !reconfig.leaving.empty();
    return incremental == reconfig.members.empty() ? error_code{} : make_error_code(server_error::bad_arguments);
}

/// Checks everything but paths and sizes. The C client would abort the process on most of these faults
/// (docs/contributing/c-client.md).
error_code check_rest(const MultiRequest& multi) {
    for (const MultiOperation& operation : multi.operations) {
        const auto* create = std::get_if<CreateRequest>(&operation);
        if (create == nullptr) continue;
        if (create->mode == CreateMode::container || has_ttl(create->mode)) return server_error::unimplemented;
        if (auto ec = check_rest(*create)) return ec;
    }
    return {};
}

error_code check_rest(const auto&) {
    return {};
}

} // namespace

std::size_t encoded_size(const Request& request) {
    return request_header_size + std::visit(BodySize{}, request);
}

std::size_t encoded_size(const Reply& reply) {
    constexpr std::size_t reply_header = 16; // xid, zxid, error
    constexpr std::size_t stat_size = 68;
    std::size_t size = reply_header;
    if (reply.stat != Stat{}) size += stat_size;
    if (!reply.path.empty()) size += size_of(reply.path);
    if (!reply.data.empty()) size += size_of(reply.data);
    for (const std::string& name : reply.children) size += size_of(name);
    for (const MultiResult& result : reply.results) {
        size += size_of(result.path) + (result.stat ? stat_size : 0);
    }
    return size;
}

error_code check_paths(const Request& request) {
    return std::visit([](const auto& r) { return check_path_of(r); }, request);
}

error_code check_request(const Request& request) {
    if (auto ec = check_paths(request)) return ec;
    if (auto ec = std::visit([](const auto& r) { return check_rest(r); }, request)) return ec;
    if (encoded_size(request) > max_request_size) return error::too_large;
    return {};
}

} // namespace docent::zk
