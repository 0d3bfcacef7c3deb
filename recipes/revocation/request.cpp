// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/revocation.hpp>

#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/data/data_codec.hpp"
#include "client/operations/request_operation.hpp"
#include "client/operations/sequence_operation.hpp"
#include "names/node_name.hpp"
#include "revocation/request.hpp"

#include <docent/client.hpp>
#include <docent/path.hpp>

#include <cstddef>
#include <utility>

namespace docent {
namespace detail {

bool is_revocation_request(const ClientConfig& config, const std::string& path, std::string data) {
    constexpr std::size_t longest_compressed = 256; // larger data cannot be a request, so it is not decompressed
    constexpr std::string_view request = revocation_request;
    if (data == request || (data.starts_with(request) && data[request.size()] == '\n')) return true;
    if (data.size() > longest_compressed) return false;
    return !decode_data(config, path, Compression::compressed, data) && data == revocation_request;
}

void initiate_revoke(const std::shared_ptr<ClientView>& view, std::string path, CallOptions call, Handler<> handler) {
    error_code fault = check_path(path);
    if (!fault && !is_lock_node(path)) fault = server_error::bad_arguments;
    const auto make = [&](const std::shared_ptr<ClientView>& observed, Done<> done) -> std::shared_ptr<Operation> {
        if (fault) return std::make_shared<Refusal>([done = std::move(done), fault] { done(fault); });
        return std::make_shared<RequestOperation>(observed, zk::SetRequest{std::move(path), revocation_request, any_version},
                                                  [done = std::move(done)](error_code ec, const zk::Reply&) { done(ec); });
    };
    launch<>(view, {"revoke", path}, std::move(call), std::move(handler), make);
}

} // namespace detail

void revoke(Client& client, std::string_view node_path, error_code& ec, CallOptions call) {
    detail::block<>(detail::view_of(client), std::move(call), ec, detail::initiate_revoke, detail::view_of(client),
                    std::string(node_path));
}

void revoke(Client& client, std::string_view node_path, CallOptions call) {
    error_code ec;
    revoke(client, node_path, ec, std::move(call));
    const bool other = ec == server_error::bad_arguments && !is_lock_node(node_path);
    if (other) detail::throw_if(ec, "revoke", std::string(node_path) + ", which is not the node of a lock");
    detail::throw_if_at(ec, "revoke", node_path);
}

} // namespace docent
