// SPDX-License-Identifier: Apache-2.0
#include "atomic/atomic_core.hpp"

#include "fake_ensemble.hpp"

#include <docent/acl.hpp>

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

using AnswerKind = WriteAnswer::Kind;
using Finding = AtomicMachine::Finding;

/// Requests reach a leader in any order, or are lost.
class AtomicMarkerTest : public testing::Test {
protected:
    zk::Reply send(const zk::Request& request) {
        const auto reply = ensemble.answer(0, session, request, {});
        ensemble.learn_all(0);
        return reply;
    }
    void SetUp() override {
        send(zk::CreateRequest{.path = "/value", .data = "a"});
        send(zk::CreateRequest{.path = "/markers"});
    }
    std::string value() { return ensemble.truth().find("/value")->data; }
    zk::Request write(const char* data, std::int32_t version) { return marker.write("/value", data, {data, version}); }
    void make_it() { marker.on_made(send(marker.make()).ec); }
    Finding find_out() {
        send(marker.fence());
        return marker.on_read(send(zk::GetRequest{"/markers/m"})).finding;
    }
    AnswerKind answer(const zk::Request& request) { return marker.on_written(send(request)).kind; }

    FakeEnsemble ensemble;
    std::int64_t session = ensemble.open_session({});
    AtomicMarker marker{"/markers/m"};
};

TEST_F(AtomicMarkerTest, IsWrittenWithTheValueOrNotAtAll) {
    make_it();
    EXPECT_EQ(answer(write("b", 0)), AnswerKind::applied);
    EXPECT_EQ(answer(write("c", 1)), AnswerKind::applied);
    const WriteAnswer late = marker.on_written(send(write("d", 1)));
    EXPECT_EQ(late.kind, AnswerKind::refused);
    EXPECT_EQ(late.ec, server_error::bad_version);
    EXPECT_EQ(answer(write("e", 2)), AnswerKind::applied) << "its version has not moved";
    EXPECT_EQ(value(), "e");
}

TEST_F(AtomicMarkerTest, MakesTheValueToo) {
    make_it();
    EXPECT_EQ(answer(marker.write("/new", "n", {"n", -1, true})), AnswerKind::applied);
    EXPECT_EQ(ensemble.truth().find("/new")->data, "n");
    EXPECT_EQ(marker.on_written(send(marker.write("/new", "n", {"n", -1, true}))).ec, server_error::node_exists);
}

TEST_F(AtomicMarkerTest, WithoutTheMarkerNothingIsWritten) {
    EXPECT_EQ(answer(write("b", 0)), AnswerKind::no_marker);
    EXPECT_EQ(value(), "a");
}

TEST_F(AtomicMarkerTest, TellsThatALostWriteWasApplied) {
    make_it();
    send(write("b", 0));
    EXPECT_EQ(find_out(), Finding::applied);
    EXPECT_EQ(answer(write("c", 1)), AnswerKind::applied) << "and goes on";
}

TEST_F(AtomicMarkerTest, TellsItThoughOthersHaveWrittenSince) {
    make_it();
    send(write("b", 0));
    for (const auto* other : {"java", "b", "a"}) ensemble.change_node("/value", other);
    EXPECT_EQ(find_out(), Finding::applied);
}

TEST_F(AtomicMarkerTest, ShowsThatTheWriteFailedAlthoughAnotherClientHasWrittenTheSame) {
    make_it();
    write("b", 0); // the request is lost
    ensemble.change_node("/value", "b");
    EXPECT_EQ(find_out(), Finding::not_applied);
}

TEST_F(AtomicMarkerTest, ALateWriteNeverContradictsAnEarlierFinding) {
    make_it();
    const auto late = write("b", 0);
    EXPECT_EQ(find_out(), Finding::not_applied);
    EXPECT_NE(send(late).ec, error_code{}) << "in whatever session, through whatever server";
    EXPECT_EQ(value(), "a");
    EXPECT_EQ(answer(write("c", 0)), AnswerKind::applied);
}

TEST_F(AtomicMarkerTest, IsMadeOnceAlsoIfThatIsLost) {
    marker.on_made(server_error::connection_loss);
    EXPECT_FALSE(marker.made());
    send(marker.make()); // its reply is lost
    make_it();
    EXPECT_TRUE(marker.made());
    EXPECT_EQ(answer(write("b", 0)), AnswerKind::applied);
}

TEST_F(AtomicMarkerTest, ALostQuestionIsAskedAgain) {
    make_it();
    send(write("b", 0));
    send(marker.fence()); // its reply is lost
    EXPECT_EQ(find_out(), Finding::applied);

    const auto late = write("c", 1);
    send(marker.fence());
    EXPECT_EQ(find_out(), Finding::not_applied);
    EXPECT_NE(send(late).ec, error_code{});
}

TEST_F(AtomicMarkerTest, AMarkerThatHasGoneTellsNothing) {
    make_it();
    EXPECT_EQ(answer(write("b", 0)), AnswerKind::applied);
    send(write("c", 1));
    ensemble.delete_node("/markers/m");
    EXPECT_EQ(find_out(), Finding::nothing);
}

TEST_F(AtomicMarkerTest, AQuestionThatWasNotTakenTellsNothing) {
    make_it();
    write("b", 0);
    marker.fence(); // a throttling server has refused it
    EXPECT_EQ(marker.on_read(send(zk::GetRequest{"/markers/m"})).finding, Finding::nothing);
    EXPECT_EQ(marker.on_read(send(zk::GetRequest{"/markers/m"}), server_error::throttled).ec, server_error::throttled);
}

} // namespace
} // namespace docent::detail
