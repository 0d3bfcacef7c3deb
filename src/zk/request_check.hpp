// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

namespace docent::zk {

/// The largest request that every server accepts. `jute.maxbuffer` is 1048575 bytes by default, and servers add headers when
/// they pass a request on to each other.
constexpr std::size_t max_request_size = 1'048'575 - 1'024;

/// The number of bytes of the request on the wire. Counts 8 bytes too many for each create without a TTL.
std::size_t encoded_size(const Request& request);
/// About the number of bytes of the reply on the wire. Counts neither an ACL nor the lengths of lists.
std::size_t encoded_size(const Reply& reply);

/// Returns `error::invalid_path` if a path of the request is invalid.
error_code check_paths(const Request& request);

/// Finds faults that the C client must never see: it would abort the process, the server would close the connection, or the
/// path would leave its chroot. Errors: `error::invalid_path`, `error::too_large`, `server_error::bad_arguments`,
/// `server_error::invalid_acl`, `server_error::unimplemented` (a container, or a node with a TTL, in a multi).
error_code check_request(const Request& request);

} // namespace docent::zk
