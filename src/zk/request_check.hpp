// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

namespace docent::zk {

/// Largest request that every server accepts: jute.maxbuffer is 1048575 bytes by default, and the servers of an ensemble pass a
/// request on with headers of their own.
constexpr std::size_t max_request_size = 1'048'575 - 1'024;

/// Bytes of the request on the wire.
std::size_t encoded_size(const Request& request);
/// Bytes of the reply on the wire; strings that only the path or the ACL of a node holds are left out.
std::size_t encoded_size(const Reply& reply);

/// `error::invalid_path` if a path in it is not valid.
error_code check_paths(const Request& request);

/// What the C client must never see, because it would abort the process, end the connection for all requests, or escape its
/// prefix: `error::invalid_path`, `error::too_large`, `server_error::bad_arguments`, `server_error::invalid_acl`.
error_code check_request(const Request& request);

/// Whether it changes something on the servers.
bool is_write(const Request& request);

} // namespace docent::zk
