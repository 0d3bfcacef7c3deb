// SPDX-License-Identifier: Apache-2.0
#pragma once

// The names of other libraries' nodes in a lock's queue.
//
//     name = anything token number

#include "names/node_name.hpp"

#include <docent/recipes/lock_options.hpp>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace docent::detail {

class OtherNames {
public:
    explicit OtherNames(OtherContenders contenders);
    OtherNames(const OtherNames&) = delete;
    OtherNames& operator=(const OtherNames&) = delete;

    /// The tokens, the longest first, because a token may end with another one.
    std::span<const QueueToken> tokens() const { return tokens_; }

private:
    const OtherContenders contenders_;
    std::vector<QueueToken> tokens_; // their texts are in `contenders_`
};

/// Returns null if there are none. Throws Error(server_error::bad_arguments), which names the lock at `path`.
OtherNamesPtr make_other_names(OtherContenders contenders, std::string_view path);

} // namespace docent::detail
