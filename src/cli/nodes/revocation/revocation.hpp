// SPDX-License-Identifier: Apache-2.0
#pragma once

// A request to release a lock, in the data of the holder's node. Pure.

#include <string>

namespace docent::cli {

/// The data of a node that is to be asked: `data` behind the request, so that the label and the owner survive. A node without
/// data gets the request alone, as Curator's holders want it: one that listens makes its node without data.
std::string with_request(const std::string& data);

/// Whether the data tells that the holder listens: a docent with --revocable has a mark in its owner, a Curator that listens
/// has no data. Also true if a program has asked before that left nothing but the request.
bool is_known_to_listen(const std::string& data);

} // namespace docent::cli
