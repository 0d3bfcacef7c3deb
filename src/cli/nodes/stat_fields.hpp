// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/stat.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace docent::cli {

struct StatField {
    std::string_view name; // the name in Java's Stat
    std::int64_t value;
};

constexpr std::array<StatField, 11> stat_fields(const Stat& stat) {
    return {{
        {"czxid", stat.czxid},
        {"mzxid", stat.mzxid},
        {"ctime", stat.ctime},
        {"mtime", stat.mtime},
        {"version", stat.version},
        {"cversion", stat.cversion},
        {"aversion", stat.aversion},
        {"ephemeralOwner", stat.ephemeral_owner},
        {"dataLength", stat.data_length},
        {"numChildren", stat.num_children},
        {"pzxid", stat.pzxid},
    }};
}

} // namespace docent::cli
