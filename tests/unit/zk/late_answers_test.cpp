// SPDX-License-Identifier: Apache-2.0
#include "zk/late_answers.hpp"

#include <gtest/gtest.h>

namespace docent::zk {
namespace {

using namespace std::chrono_literals;

class LateAnswersTest : public ::testing::Test {
protected:
    static constexpr auto timeout = 10'000ms;
    static constexpr std::size_t size = 20U << 20U;
    const Request list = ChildrenRequest{"/a"};
    LateAnswers::Time now{};
    LateAnswers answers;

    void late(const Request& request, std::size_t bytes = size) {
        answers.on_late(LateAnswers::question_of(request).value(), bytes, now, timeout);
    }
    std::size_t refused(const Request& request) const { return answers.refused_size(request, now); }
};

TEST_F(LateAnswersTest, AreRefusedAfterTheSecondInARow) {
    EXPECT_TRUE(answers.empty());
    EXPECT_EQ(refused(list), 0U);
    late(list);
    EXPECT_EQ(refused(list), 0U);
    now += 4s;
    late(list);
    EXPECT_EQ(refused(list), size);
    EXPECT_EQ(refused(ChildrenRequest{"/b"}), 0U);
    EXPECT_EQ(refused(GetRequest{"/a"}), 0U) << "the data of the same node may be short";
    EXPECT_EQ(refused(SyncRequest{"/a"}), 0U);
}

TEST_F(LateAnswersTest, AreAskedForAgainSomeTimeLater) {
    late(list);
    late(list);
    now += 3 * timeout - 1ms;
    EXPECT_EQ(refused(list), size);
    now += 1ms;
    EXPECT_EQ(refused(list), 0U);
    late(list);
    EXPECT_EQ(refused(list), 0U) << "the first in another row";
    late(list);
    EXPECT_EQ(refused(list), size);
}

TEST_F(LateAnswersTest, ThatArriveEndTheRow) {
    late(list);
    answers.on_answer(LateAnswers::question_of(list).value());
    EXPECT_TRUE(answers.empty());
    late(list);
    EXPECT_EQ(refused(list), 0U);
}

TEST_F(LateAnswersTest, OfSeveralNodesAreCountedEachByItself) {
    const Request data = GetRequest{"/b"};
    for (int i = 0; i < 2; ++i) {
        late(list);
        late(data, 2 * size);
    }
    EXPECT_EQ(refused(list), size);
    EXPECT_EQ(refused(data), 2 * size);
}

TEST_F(LateAnswersTest, ThatAreShortAreTheFaultOfTheServer) {
    for (int i = 0; i < 3; ++i) late(list, LateAnswers::least - 1);
    EXPECT_TRUE(answers.empty());
}

TEST_F(LateAnswersTest, OldRowsAreForgotten) {
    late(list);
    now += 3 * timeout;
    late(ChildrenRequest{"/b"});
    answers.on_answer(LateAnswers::question_of(ChildrenRequest{"/b"}).value());
    EXPECT_TRUE(answers.empty());
}

TEST(LateAnswers, MayBeThoseToReadsWithoutALimit) {
    using Read = LateAnswers::Read;
    EXPECT_EQ(LateAnswers::question_of(GetRequest{"/a"}), LateAnswers::Question(Read::data, "/a"));
    EXPECT_EQ(LateAnswers::question_of(ChildrenRequest{"/a"}), LateAnswers::Question(Read::children, "/a"));
    EXPECT_FALSE(LateAnswers::question_of(ExistsRequest{"/a"}));
    EXPECT_FALSE(LateAnswers::question_of(CreateRequest{"/a"}));
}

} // namespace
} // namespace docent::zk
