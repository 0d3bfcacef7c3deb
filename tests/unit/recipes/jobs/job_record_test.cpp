// SPDX-License-Identifier: Apache-2.0
#include "jobs/period_core.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

ServerTime at(std::chrono::milliseconds since_1970) {
    return ServerTime(since_1970);
}

TEST(JobRecord, LiesBesideTheQueueOfTheLock) {
    EXPECT_EQ(record_path_of("/jobs/nightly"), "/jobs/nightly.last-run");
}

TEST(JobRecord, IsReadAsItIsWritten) {
    for (const std::string& who :
         std::vector<std::string>{"10.0.0.5", "", "two words", "line\nline", std::string("\0\xff", 2)}) {
        const JobRun run{at(1795330000123ms), who};
        EXPECT_EQ(parse_record(format_record(run)), (ParsedRecord{.last = run}));
    }
    EXPECT_EQ(format_record({at(5ms), "a"}), "5 a");
    EXPECT_EQ(parse_record(""), ParsedRecord{}) << "before the first run";
}

TEST(JobRecord, OtherDataIsNoRecord) {
    for (const char* data : {"a", " ", "5", "-5 a", "5a", "99999999999999999999 a", "{\"began\":5}", "0x5 a"}) {
        EXPECT_FALSE(parse_record(data).valid) << data;
    }
}

TEST(JobRecord, IsDueAPeriodAfterTheLastRunBegan) {
    EXPECT_TRUE(is_due({}, at(0ms), 1h));
    const JobRun last{at(10h)};
    EXPECT_FALSE(is_due(last, at(10h), 1h));
    EXPECT_FALSE(is_due(last, at(11h - 1ms), 1h));
    EXPECT_TRUE(is_due(last, at(11h), 1h));
    EXPECT_FALSE(is_due(last, at(11h), std::chrono::milliseconds::max()));
}

TEST(JobRecord, AClockThatIsSetBackDelaysItByAPeriodAtTheMost) {
    const JobRun last{at(10h)};
    EXPECT_FALSE(is_due(last, at(9h + 1ms), 1h));
    EXPECT_TRUE(is_due(last, at(9h), 1h));
    EXPECT_TRUE(is_due(JobRun{at(std::chrono::milliseconds::max())}, at(0ms), 1h));
}

} // namespace
} // namespace docent::detail
