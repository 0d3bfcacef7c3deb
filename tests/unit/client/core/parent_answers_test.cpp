// SPDX-License-Identifier: Apache-2.0
#include "client/core/parents/parents.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace docent::detail {
namespace {

using Refusal = ParentAnswers::Refusal;

const error_code made;
const error_code exists = server_error::node_exists;
const error_code no_auth = server_error::no_auth;
const error_code no_parent = server_error::no_node;

/// The result after the parents /1, /1/2, ... were answered with these codes and the node's own create has found no parent.
std::optional<Refusal> refusal_after(const std::vector<error_code>& codes) {
    ParentAnswers answers;
    std::string path;
    for (const error_code& ec : codes) {
        path += "/" + std::to_string(&ec - codes.data() + 1);
        answers.on_answer(answers.add(path), ec);
    }
    return answers.refusal();
}

TEST(ParentAnswers, TheParentThatMayNotBeMadeIsNamed) {
    EXPECT_EQ(refusal_after({no_auth}), (Refusal{no_auth, "/1"}));
    EXPECT_EQ(refusal_after({exists, no_auth}), (Refusal{no_auth, "/1/2"}));
    EXPECT_EQ(refusal_after({exists, no_auth, no_parent, no_parent}), (Refusal{no_auth, "/1/2"}));
}

TEST(ParentAnswers, ARefusedParentThatIsThereIsNotInTheWay) {
    EXPECT_EQ(refusal_after({no_auth, no_auth, no_auth}), (Refusal{no_auth, "/1/2/3"}));
    EXPECT_EQ(refusal_after({no_auth, exists, no_auth, no_parent}), (Refusal{no_auth, "/1/2/3"}));
    EXPECT_EQ(refusal_after({no_auth, made, exists}), std::nullopt);
}

TEST(ParentAnswers, TheServersRefusalIsTheReason) {
    const error_code below_ephemeral = server_error::no_children_for_ephemerals;
    EXPECT_EQ(refusal_after({no_auth, below_ephemeral}), (Refusal{below_ephemeral, "/1/2"}));
}

TEST(ParentAnswers, AContainerThatWasReapedMeanwhileIsWorthAnotherTry) {
    EXPECT_EQ(refusal_after({made, made}), std::nullopt);
    EXPECT_EQ(refusal_after({exists, no_parent}), std::nullopt);
    EXPECT_EQ(refusal_after({no_auth, exists, no_parent}), std::nullopt);
}

TEST(ParentAnswers, ALostAnswerIsNoRefusal) {
    EXPECT_EQ(refusal_after({server_error::throttled}), std::nullopt);
    EXPECT_EQ(refusal_after({exists, server_error::connection_loss}), std::nullopt);
    ParentAnswers unanswered;
    unanswered.add("/1");
    EXPECT_EQ(unanswered.refusal(), std::nullopt);
}

TEST(ParentAnswers, WithoutParentsNothingIsRefused) {
    EXPECT_EQ(refusal_after({}), std::nullopt);
    EXPECT_EQ(refusal_after({no_parent}), std::nullopt);
}

TEST(ParentAnswers, KnowsWhetherAnyWasMade) {
    ParentAnswers answers;
    answers.on_answer(answers.add("/1"), exists);
    EXPECT_FALSE(answers.any_made());
    answers.on_answer(answers.add("/1/2"), made);
    EXPECT_TRUE(answers.any_made());
}

} // namespace
} // namespace docent::detail
