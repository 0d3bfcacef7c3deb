// SPDX-License-Identifier: Apache-2.0

// Compares MemoryServer and the fake servers with Debian's server: all get the same requests, and each answer, each event and
// their order must be equal.
//
// Requests cannot show all behaviour. The tests before the bar show the rest for the fakes, those behind it for the real
// server:
// - A request that a server passes on to the leader does not extend the session there: the leader hears of sessions by pings.
//   scenario/fake_ensemble_test (FakeEnsemble), unit/session/session_seeds_test (FakeService) | ZooKeeper's sources:
//   docs/proof.md, "What the servers do".
// - Reads lag until a sync: scenario/fake_ensemble_test. FakeService has one tree, its reads do not lag | its documentation.
// - Sequence numbers end: scenario/last_numbers_scenario_test | interop/last_numbers_test.
// - Without a quorum, servers close connections, accept no session, and end none: scenario/fake_ensemble_test,
//   SessionOnFake.OutageOfAnyLengthKeepsTheSession | ClusterSession.LostQuorumIsASuspensionThenALossAndPassesWithIt,
//   ClusterOutage.SessionsTheirNodesAndWaitersOutliveIt.
// - A server with older data refuses a client: scenario/fake_ensemble_test,
//   SessionOnFake.ServersThatHaveForgottenUsEndTheSession | RealServerTest.ServerThatHasForgottenEverythingTakesUsInTheEnd.
// - Faults can lose events: unit/zk/handle_test (FakeService), the injury "EventLost" of the scenarios (FakeEnsemble).
// Clients of the fakes have no credentials. The fakes do not model a change of the ensemble: they answer `unimplemented`.
// MemoryServer answers that changes are disabled. Requests that docent never sends: protocol_test.cpp.

#include "play.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace docent::conformance {

void PrintTo(const Script& script, std::ostream* out) {
    *out << script.name;
}

namespace {

Transcript transcript_of(Subject& subject, const Script& script) {
    Play play(subject, script.name);
    script.play(play);
    return play.end();
}

class Conformance : public testing::TestWithParam<Script> {
protected:
    void compare(Subject& fake, const Transcript& expected) {
        const Transcript told = transcript_of(fake, GetParam());
        EXPECT_EQ(told[alice], expected[alice]);
        EXPECT_EQ(told[bob], expected[bob]);
    }
};

TEST_P(Conformance, FakesAnswerAsTheServer) {
    const Transcript expected = transcript_of(*real_subject(), GetParam());
    {
        SCOPED_TRACE("a MemoryServer");
        compare(*memory_subject(real_exists_needs()), expected);
    }
    {
        SCOPED_TRACE("the C client's fake service");
        compare(*c_client_subject(real_exists_needs()), expected);
    }
    for (std::uint64_t seed = 0; seed < 20 && !HasFailure(); ++seed) {
        SCOPED_TRACE("the fake ensemble, seed " + std::to_string(seed));
        compare(*ensemble_subject(seed, real_exists_needs()), expected);
    }
}

std::vector<Script> all_scripts() {
    std::vector<Script> all;
    for (const auto& some :
         {acl_scripts(), create_scripts(), change_scripts(), multi_scripts(), watch_scripts(), session_scripts()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Scripts, Conformance, testing::ValuesIn(all_scripts()),
                         [](const auto& each) { return each.param.name; });

} // namespace
} // namespace docent::conformance
