// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

namespace docent::zk {

/// Largest request that every server accepts: jute.maxbuffer is 1048575 bytes by default, and the servers of an ensemble pass a
/// request on with headers of their own.
constexpr std::size_t max_request_size = 1'048'575 - 1'024;

/// Bytes of the request on the wire.
std::size_t encoded_size(const Request& request);

/// What the C client must never see, because it would abort the process, end the connection for all requests, or escape its
/// prefix: `error::invalid_path`, `error::too_large`, `server_error::bad_arguments`, `server_error::invalid_acl`.
error_code check_request(const Request& request);

} // namespace docent::zk
