// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

#include <docent/client.hpp>
#include <docent/error.hpp>
#include <docent/stat.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace docent::cli {

/// The data of the command line, of standard input, or of a file. Throws UsageError if the data is larger than a node can be,
/// and std::runtime_error if it cannot be read.
std::string read_data(const DataSource& source);

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

/// Sends a sync and a read together, and returns the result of the read. It shows every write that was done before the call.
/// `sync(handler)` and `read(handler)` begin the two calls. Throws docent::Error.
///
/// A server answers the requests of a session in their order. If the connection breaks, both are sent again, and the read may
/// be answered first. Then it is read once more.
template <typename Result, typename Sync, typename Read> Result read_synced(const Sync& sync, const Read& read) {
    struct Flight {
        std::atomic<bool> is_synced = false;
        std::promise<error_code> sync;
        std::promise<std::tuple<error_code, Result, bool>> read; // bool: the sync was answered before
    };
    const auto flight = std::make_shared<Flight>();
    sync([flight](error_code ec) {
        flight->is_synced = !ec;
        flight->sync.set_value(ec);
    });
    read([flight](error_code ec, Result value) { flight->read.set_value({ec, std::move(value), flight->is_synced}); });
    auto [ec, result, in_order] = flight->read.get_future().get();
    if (const error_code failed = flight->sync.get_future().get()) throw Error(failed);
    if (!in_order) {
        const auto again = std::make_shared<std::promise<std::pair<error_code, Result>>>();
        read([again](error_code failed, Result value) { again->set_value({failed, std::move(value)}); });
        std::tie(ec, result) = again->get_future().get();
    }
    if (ec) throw Error(ec);
    return std::move(result);
}

/// The same with a sync of `client`.
template <typename Result, typename Read> Result read_synced(Client& client, const Read& read) {
    return read_synced<Result>([&client](auto handler) { client.async_sync(std::move(handler)); }, read);
}

} // namespace docent::cli
