// SPDX-License-Identifier: Apache-2.0
#pragma once

// A request to release a lock, in the data of the holder's node. Pure.

#include <string>

namespace docent::cli {

/// The data of a node with a request: the request, then `data`, so that label and owner survive. A node without data gets the
/// request only, as Curator's holders expect: a Curator that listens makes its node without data.
std::string with_request(const std::string& data);

/// Whether the data shows that the holder listens. A docent with --revocable has a mark in its owner; a Curator that listens
/// has no data. Also true if the data is only an earlier request.
bool is_known_to_listen(const std::string& data);

} // namespace docent::cli
