// SPDX-License-Identifier: Apache-2.0

// LeaderLatch: docent's and Curator's in one election.

#include "docent_process.hpp"
#include "locks_fixture.hpp"

#include <docent/recipes/leader_latch.hpp>

#include <boost/asio/use_future.hpp>

#include <deque>
#include <filesystem>
#include <memory>

#include <signal.h>

namespace docent::test {
namespace {

/// A latch of Curator's at /lock, on a thread of the Java peer that is named by the latch's id.
class JavaLatch {
public:
    JavaLatch(JavaPeer& peer, std::string id, const std::string& client = "curator")
        : peer_(peer), id_(std::move(id)), words_{"client=" + client, "path=/lock", "id=" + to_hex(id_)} {
        ask("latch-start");
    }

    const std::string& id() const { return id_; }
    bool leads() { return ask("latch-leads")["leads"] == "true"; }
    bool comes_to_lead() { return ask("latch-await")["leads"] == "true"; }
    std::string leader() { return ask("latch-leader")["leader"]; }          // in hex
    std::string participants() { return ask("latch-participants")["ids"]; } // in hex, separated by commas
    void close() { ask("latch-close"); }

private:
    JavaAnswer ask(const std::string& verb) {
        peer_.send("latch", verb, words_);
        const JavaAnswer answer = peer_.await("latch");
        EXPECT_EQ(answer.error, "") << verb;
        return answer;
    }

    JavaPeer& peer_;
    std::string id_;
    Words words_;
};

class LeaderLatchBesideCurator : public LocksFixture {
protected:
    std::unique_ptr<LeaderLatch> ours(const std::string& id) {
        auto latch = std::make_unique<LeaderLatch>(*client, "/lock", LatchOptions{.id = id});
        latch->start();
        return latch;
    }
    static std::vector<std::string> ids(const LeaderLatch& latch) {
        std::vector<std::string> all;
        for (const auto& each : latch.participants()) all.push_back(each.data);
        return all;
    }
    std::vector<std::string> in_order() { return queue(detail::latch_names()); }
};

TEST_F(LeaderLatchBesideCurator, DocentFollowsCurator) {
    JavaLatch theirs(java, "Gr\xc3\xbc\xc3\x9f"
                           "e");
    ASSERT_TRUE(theirs.comes_to_lead());
    const auto latch = ours("docent's");
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(eventually([&] { return is_waited_for(in_order().front()); }));
    EXPECT_FALSE(latch->has_leadership());
    EXPECT_EQ(ids(*latch), (std::vector{theirs.id(), latch->id()}));
    EXPECT_EQ(latch->leader()->data, theirs.id());
    EXPECT_EQ(theirs.participants(), to_hex(theirs.id()) + "," + to_hex(latch->id()));
    theirs.close();
    EXPECT_TRUE(latch->await_leadership({.timeout = generous})->owns());
    EXPECT_EQ(ids(*latch), std::vector{latch->id()});
}

TEST_F(LeaderLatchBesideCurator, CuratorFollowsDocent) {
    const auto latch = ours("");
    const Leadership leadership = latch->await_leadership();
    JavaLatch theirs(java, "curator's");
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(eventually([&] { return is_waited_for(in_order().front()); }));
    EXPECT_FALSE(theirs.leads());
    EXPECT_EQ(theirs.leader(), "") << "an id may be empty";
    EXPECT_EQ(theirs.participants(), "," + to_hex(theirs.id()));
    latch->resign();
    EXPECT_TRUE(theirs.comes_to_lead());
    EXPECT_FALSE(latch->has_leadership());
    EXPECT_TRUE(eventually([&] { return ids(*latch) == std::vector{theirs.id(), latch->id()}; }));
    theirs.close();
    EXPECT_GT(latch->await_leadership({.timeout = generous})->fencing_token(), leadership->fencing_token());
}

TEST_F(LeaderLatchBesideCurator, AMixedCrowdElectsOneAfterTheOtherInTheOrderOfArrival) {
    constexpr std::size_t pairs = 3;
    std::deque<JavaLatch> theirs;
    std::deque<std::unique_ptr<LeaderLatch>> all_ours;
    for (std::size_t i = 0; i < pairs; ++i) {
        theirs.emplace_back(java, "curator-" + std::to_string(i));
        ASSERT_TRUE(queue_reaches(2 * i + 1));
        all_ours.push_back(ours("docent-" + std::to_string(i)));
        ASSERT_TRUE(queue_reaches(2 * i + 2));
    }
    const auto leaders = [&] {
        std::vector<std::string> names;
        for (auto& latch : theirs) {
            if (latch.leads()) names.push_back(latch.id());
        }
        for (const auto& latch : all_ours) {
            if (latch->has_leadership()) names.push_back(latch->id());
        }
        return names;
    };
    for (std::size_t i = 0; i < pairs; ++i) {
        ASSERT_TRUE(theirs[i].comes_to_lead());
        EXPECT_EQ(leaders(), std::vector{theirs[i].id()});
        EXPECT_EQ(all_ours[i]->leader()->data, theirs[i].id());
        theirs[i].close();
        ASSERT_TRUE(all_ours[i]->await_leadership({.timeout = generous})->owns());
        EXPECT_EQ(leaders(), std::vector{all_ours[i]->id()});
        all_ours[i]->close();
    }
    EXPECT_TRUE(queue_reaches(0));
}

TEST_F(LeaderLatchBesideCurator, TheNextLeadsWhenASessionEnds) {
    open_curator("short", {"session-timeout=2000"});
    JavaLatch theirs(java, "curator's", "short");
    ASSERT_TRUE(theirs.comes_to_lead());
    const auto latch = ours("docent's");
    ASSERT_TRUE(queue_reaches(2));
    client->renew_session(); // a waiter enters again at the tail
    ASSERT_TRUE(eventually([&] { return ids(*latch) == std::vector{theirs.id(), latch->id()}; }));
    java.kill();
    EXPECT_TRUE(latch->await_leadership({.timeout = generous})->owns());
    EXPECT_TRUE(queue_reaches(1));
}

TEST_F(LeaderLatchBesideCurator, ALeaderWhoseSessionEndsKnowsItWhenCuratorLeads) {
    const auto latch = ours("docent's");
    const Leadership leadership = latch->await_leadership();
    JavaLatch theirs(java, "curator's");
    ASSERT_TRUE(queue_reaches(2));
    client->renew_session();
    EXPECT_TRUE(theirs.comes_to_lead());
    EXPECT_FALSE(latch->has_leadership());
    EXPECT_FALSE(leadership->owns());
    EXPECT_TRUE(leadership->stop_token().stop_requested());
    EXPECT_TRUE(eventually([&] { return ids(*latch) == std::vector{theirs.id(), latch->id()}; })) << "it stands again";
}

TEST_F(LeaderLatchBesideCurator, OfADocentThatStandsStillForLongerThanItsSessionTheCommandHasEndedWhenCuratorLeads) {
    const Folder folder;
    const std::string note = (folder / "command").string();
    DocentProcess process({.words = {"elect", "/lock", "--session-timeout", "4s", "--", "sh", "-c",
                                     "echo $$ > " + note + ".new; mv " + note + ".new " + note + "; exec sleep 1000"},
                           .connect = server.connect_string()});
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(note); }));
    const pid_t command = std::stoi(read_file(note));
    JavaLatch theirs(java, "curator's");
    ASSERT_TRUE(queue_reaches(2));
    process.send(SIGSTOP);
    ASSERT_TRUE(theirs.comes_to_lead());
    EXPECT_FALSE(is_alive(command)) << "its guard has ended it";
    process.send(SIGCONT);
    ASSERT_TRUE(queue_reaches(2)) << "it stands again";
    EXPECT_TRUE(theirs.leads());
}

TEST_F(LeaderLatchBesideCurator, CuratorSeesTheLeaderOfDocentElectAndTakesOver) {
    DocentProcess process({.words = {"elect", "/lock", "--id", "the machine", "--session-timeout", "2s", "--", "sleep", "1000"},
                           .connect = server.connect_string()});
    ASSERT_TRUE(queue_reaches(1));
    JavaLatch theirs(java, "curator's");
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_EQ(theirs.leader(), to_hex("the machine"));
    EXPECT_FALSE(theirs.leads());
    process.send(SIGKILL);
    EXPECT_TRUE(theirs.comes_to_lead());
    DocentProcess asked({.words = {"leader", "/lock"}, .connect = server.connect_string()});
    EXPECT_EQ(asked.exit_status(), 0);
    EXPECT_EQ(asked.output(), "curator's\n");
}

} // namespace
} // namespace docent::test
