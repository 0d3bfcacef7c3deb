// SPDX-License-Identifier: Apache-2.0
#include "client/core/parents/parents.hpp"

#include <docent/path.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

/// The create of a parent at this path.
zk::Request parent(std::string path) {
    return zk::CreateRequest{.path = std::move(path), .mode = CreateMode::container, .is_parent = true};
}

/// Answers the requests of a container trial in their order.
class ContainerTrialTest : public ::testing::Test {
protected:
    /// `container /a` or `persistent /a` for a create; the path for any other request.
    static std::string text(const zk::Request& request) {
        const auto* create = std::get_if<zk::CreateRequest>(&request);
        if (create == nullptr) return zk::path_of(request);
        return (create->mode == CreateMode::container ? "container " : "persistent ") + create->path;
    }
    Texts on_their_way() const {
        Texts texts;
        texts.reserve(sent.size());
        for (const auto& [request, handler] : sent) texts.push_back(text(request));
        return texts;
    }
    void submit(zk::Request request) {
        trial.submit(request, [this, what = zk::path_of(request)](const zk::Reply& reply) {
            answers.push_back(what + (reply.ec ? " " + reply.ec.to_string() : ""));
        });
    }
    void submit_with_parents(const std::string& path) {
        for (const std::string& ancestor : ancestor_paths(path)) submit(parent(ancestor));
        submit(zk::GetRequest{path});
    }
    void answer(error_code ec = {}) {
        ASSERT_FALSE(sent.empty());
        auto [request, handler] = std::move(sent.front());
        sent.pop_front();
        handler({.ec = ec});
    }
    void session(SessionState state, error_code reason = {}) { trial.on_session_event({state, 1, 0xa, reason}, 10s); }
    /// Sends one parent's create to a server that does not answer and ends the session after this time.
    void hang_up(std::chrono::milliseconds after = 10ms) {
        submit(parent("/a"));
        answer(server_error::connection_loss);
        now += after;
        session(SessionState::lost, server_error::session_expired);
        session(SessionState::connected);
    }

    std::deque<std::pair<zk::Request, zk::ReplyHandler>> sent;
    Texts answers;
    int missing = 0;
    ContainerTrial::Clock::time_point now{};
    ContainerTrial trial{
        [this](zk::Request request, zk::ReplyHandler handler) { sent.emplace_back(std::move(request), std::move(handler)); },
        [this] { return now; }, [this] { ++missing; }};
};

TEST_F(ContainerTrialTest, AllLeaveInOneFlight) {
    submit_with_parents("/a/b/c");
    EXPECT_EQ(on_their_way(), (Texts{"container /a", "container /a/b", "/a/b/c"})) << "nobody waits for the first one's answer";
    answer();
    submit(zk::GetRequest{"/d"});
    EXPECT_EQ(on_their_way(), (Texts{"container /a/b", "/a/b/c", "/d"}));
    answer();
    answer(server_error::no_node);
    EXPECT_EQ(answers, (Texts{"/a", "/a/b", "/a/b/c " + error_code(server_error::no_node).to_string()}));
    EXPECT_EQ(missing, 0);
}

TEST(ContainerTrial, NothingFollowsOnceItIsGone) {
    std::deque<zk::ReplyHandler> sent;
    auto trial = std::make_unique<ContainerTrial>(
        [&](const zk::Request&, zk::ReplyHandler handler) { sent.push_back(std::move(handler)); },
        [] { return ContainerTrial::Clock::time_point{}; }, [] {});
    trial->submit(parent("/a"), [](const zk::Reply&) {});
    trial->submit(zk::GetRequest{"/a"}, [&](const zk::Reply&) { trial.reset(); });
    std::exchange(sent.front(), {})({.ec = server_error::unimplemented});
    trial->submit(zk::GetRequest{"/a/b"}, [](const zk::Reply&) {});
    ASSERT_EQ(sent.size(), 3u) << "the one that waits is not among them";
    const auto answer = std::move(sent[1]);
    answer({});
    EXPECT_EQ(trial, nullptr);
    EXPECT_EQ(sent.size(), 3u);
}

TEST_F(ContainerTrialTest, ThoseThatAreRefusedArePersistentAndNothingIsSentTwiceAfterThat) {
    submit_with_parents("/a/b/c");
    answer(server_error::unimplemented);
    answer(server_error::unimplemented);
    answer(server_error::no_node);
    EXPECT_EQ(on_their_way(), (Texts{"persistent /a", "persistent /a/b", "/a/b/c"}));
    while (!sent.empty()) answer();
    EXPECT_EQ(answers, (Texts{"/a", "/a/b", "/a/b/c"})) << "nobody hears of the refusal";
    submit_with_parents("/d/e");
    EXPECT_EQ(on_their_way(), (Texts{"persistent /d", "/d/e"}));
    EXPECT_EQ(missing, 1) << "told once";
}

TEST_F(ContainerTrialTest, ARequestAfterARefusalComesBehindRepeatedRequests) {
    submit_with_parents("/a/b");
    answer(server_error::unimplemented);
    submit(zk::GetRequest{"/late"}); // for example the search for parents that are still missing
    EXPECT_EQ(on_their_way(), (Texts{"/a/b", "persistent /a"}));
    answer(server_error::no_node);
    EXPECT_EQ(on_their_way(), (Texts{"persistent /a", "/a/b", "/late"}));
}

TEST_F(ContainerTrialTest, OnlyRequestsThatMissingParentsExplainAreSentAgain) {
    submit_with_parents("/a/b");
    submit(zk::GetRequest{"/there"});
    submit(zk::ExistsRequest{"/absent"});
    submit(zk::GetRequest{"/lost"});
    answer(server_error::unimplemented);
    answer(server_error::no_node);
    answer();
    answer(server_error::no_node);
    answer(server_error::connection_loss);
    EXPECT_EQ(on_their_way(), (Texts{"persistent /a", "/a/b"}));
    EXPECT_EQ(answers, (Texts{"/there", "/absent " + error_code(server_error::no_node).to_string(),
                              "/lost " + error_code(server_error::connection_loss).to_string()}))
        << "an exists leaves a watch, and what is in doubt is its caller's";
}

TEST_F(ContainerTrialTest, BadArgumentsAreARefusalToo) {
    submit_with_parents("/a/b");
    answer(server_error::bad_arguments);
    answer(server_error::no_node);
    EXPECT_EQ(on_their_way(), (Texts{"persistent /a", "/a/b"}));
    EXPECT_EQ(missing, 1);
}

TEST_F(ContainerTrialTest, AnExistingParentSaysLessThanARefusedOne) {
    submit_with_parents("/a/b/c");
    answer(server_error::node_exists);
    answer(server_error::unimplemented);
    EXPECT_EQ(on_their_way(), (Texts{"/a/b/c", "persistent /a/b"}));
    EXPECT_EQ(missing, 1);
}

TEST_F(ContainerTrialTest, AContainerThatAUserWantsIsNotChanged) {
    submit(zk::CreateRequest{.path = "/mine", .mode = CreateMode::container});
    answer(server_error::unimplemented);
    EXPECT_EQ(answers.size(), 1u);
    EXPECT_EQ(missing, 0);
}

TEST_F(ContainerTrialTest, AnExistingParentIsAnAnswerALostReplyIsNone) {
    submit_with_parents("/a/b");
    answer(server_error::connection_loss);
    answer(error::not_connected);
    EXPECT_EQ(answers.front(), "/a " + error_code(server_error::connection_loss).to_string());
    session(SessionState::connected); // the session has survived
    submit_with_parents("/a/b");
    EXPECT_EQ(on_their_way(), (Texts{"container /a", "/a/b"})) << "nothing is known yet";
    answer(server_error::node_exists);
    answer();
    submit_with_parents("/c/d");
    EXPECT_EQ(on_their_way().size(), 2u);
    EXPECT_EQ(missing, 0);
}

TEST_F(ContainerTrialTest, ALostReplyAfterTheRefusalIsTheCallersAndTheRefusalRemembered) {
    submit_with_parents("/a/b");
    answer(server_error::unimplemented);
    answer(server_error::connection_loss);
    answer(error::not_connected);
    EXPECT_EQ(answers.size(), 2u);
    submit_with_parents("/a/b");
    EXPECT_EQ(on_their_way(), (Texts{"persistent /a", "/a/b"}));
}

TEST_F(ContainerTrialTest, ARequestOfAHandlerComesBehindWaitingRequests) {
    trial.submit(parent("/a"), [](const zk::Reply&) {});
    trial.submit(zk::GetRequest{"/other"}, [this](const zk::Reply&) { submit(zk::GetRequest{"/late"}); });
    answer(server_error::unimplemented);
    submit(zk::GetRequest{"/early"});
    answer();
    EXPECT_EQ(on_their_way(), (Texts{"persistent /a", "/early", "/late"}));
}

TEST_F(ContainerTrialTest, AServerThatEndsTheSessionInsteadTwiceHasNone) {
    hang_up();
    EXPECT_EQ(missing, 0) << "it may be chance";
    hang_up();
    EXPECT_EQ(missing, 1);
    submit_with_parents("/a/b");
    EXPECT_EQ(on_their_way(), (Texts{"persistent /a", "/a/b"}));
}

TEST_F(ContainerTrialTest, ASessionThatEndsAfterItHasConnectedAgainSaysNothing) {
    for (int n = 0; n < 3; ++n) {
        submit(parent("/a"));
        answer(server_error::connection_loss);
        session(SessionState::connected); // the session has outlived the create
        session(SessionState::lost, server_error::session_expired);
        session(SessionState::connected);
    }
    EXPECT_EQ(missing, 0);
}

TEST_F(ContainerTrialTest, ASessionThatEndsInItsTimeSaysNothing) {
    hang_up(6s);
    hang_up(6s);
    hang_up(6s);
    EXPECT_EQ(missing, 0);
}

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
