// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/node_commands.hpp"

#include <docent/error.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

namespace docent::cli {
namespace {

/// A client whose answers a test chooses. A read returns the number of reads so far.
class SyncedReadTest : public testing::Test {
protected:
    std::function<void(error_code)> synced; // the handler of the sync, which is not answered yet
    int reads = 0;

    auto sync_later() {
        return [this](auto handler) { synced = std::move(handler); };
    }
};

TEST_F(SyncedReadTest, AReadBehindItsSyncCounts) {
    const auto sync = [](auto handler) { handler(error_code{}); };
    const auto read = [this](auto handler) { handler(error_code{}, ++reads); };
    EXPECT_EQ(read_synced<int>(sync, read), 1);
}

TEST_F(SyncedReadTest, AReadThatIsAnsweredBeforeItsSyncIsReadOnceMore) {
    const auto read = [this](auto handler) {
        handler(error_code{}, ++reads);
        if (synced) std::exchange(synced, nullptr)({});
    };
    EXPECT_EQ(read_synced<int>(sync_later(), read), 2);
}

TEST_F(SyncedReadTest, AFailureOfEitherIsThrown) {
    const auto fails = [](auto handler) { handler(error::not_connected); };
    const auto read = [this](auto handler) { handler(error_code{}, ++reads); };
    EXPECT_THROW(read_synced<int>(fails, read), Error);
    const auto sync = [](auto handler) { handler(error_code{}); };
    const auto read_fails = [](auto handler) { handler(server_error::no_node, 0); };
    EXPECT_THROW(read_synced<int>(sync, read_fails), Error);
}

} // namespace
} // namespace docent::cli
