// SPDX-License-Identifier: Apache-2.0

// Elections among docent's and Curator's candidates.

#include "docent_process.hpp"
#include "locks_fixture.hpp"

#include <docent/recipes/leader/leader_selector.hpp>
#include <docent/recipes/leader_latch.hpp>

#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace docent::test {
namespace {

/// A latch or selector of Curator's at /lock, on a thread of the Java peer that is named by its id.
class JavaCandidate {
public:
    const std::string& id() const { return id_; }
    bool leads() { return ask("leads")["leads"] == "true"; }
    bool comes_to_lead() { return ask("await")["leads"] == "true"; }
    std::string leader() { return ask("leader")["leader"]; }          // in hex
    std::string participants() { return ask("participants")["ids"]; } // in hex, separated by commas

protected:
    JavaCandidate(JavaPeer& peer, std::string recipe, std::string id, const std::string& client, const Words& options = {})
        : peer_(peer), recipe_(std::move(recipe)),
          id_(std::move(id)), words_{"client=" + client, "path=/lock", "id=" + to_hex(id_)} {
        words_.insert(words_.end(), options.begin(), options.end());
        ask("start");
    }

    JavaAnswer ask(const std::string& verb) {
        peer_.send(id_, recipe_ + '-' + verb, words_);
        const JavaAnswer answer = peer_.await(id_);
        EXPECT_EQ(answer.error, "") << verb;
        return answer;
    }

private:
    JavaPeer& peer_;
    std::string recipe_;
    std::string id_;
    Words words_;
};

// ---- LeaderLatch

class JavaLatch : public JavaCandidate {
public:
    JavaLatch(JavaPeer& peer, std::string id, const std::string& client = "curator")
        : JavaCandidate(peer, "latch", std::move(id), client) {}

    void close() { ask("close"); }
};

// Two literals, because "\x9fe" would be one character.
const std::string not_ascii = "Gr\xc3\xbc\xc3\x9f"
                              "e";

std::vector<std::string> data_of(const std::vector<Participant>& participants) {
    std::vector<std::string> all;
    for (const auto& each : participants) all.push_back(each.data);
    return all;
}

class LeaderLatchBesideCurator : public LocksFixture {
protected:
    std::unique_ptr<LeaderLatch> ours(const std::string& id) {
        auto latch = std::make_unique<LeaderLatch>(*client, "/lock", LatchOptions{.id = id});
        latch->start();
        return latch;
    }
    static std::vector<std::string> ids(const LeaderLatch& latch) { return data_of(latch.participants()); }
    std::vector<std::string> in_order() { return queue(detail::latch_names()); }
};

TEST_F(LeaderLatchBesideCurator, DocentFollowsCurator) {
    JavaLatch theirs(java, not_ascii);
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
    open_curator("short", {"session-timeout=6000"});
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

TEST_F(LeaderLatchBesideCurator, CuratorSeesTheLeaderOfDocentElectAndTakesOver) {
    DocentProcess process({.words = {"elect", "/lock", "--id", "the machine", "--session-timeout", "6s", "--", "sleep", "1000"},
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

// ---- LeaderSelector

class JavaSelector : public JavaCandidate {
public:
    JavaSelector(JavaPeer& peer, std::string id, const std::string& client = "curator", const Words& options = {})
        : JavaCandidate(peer, "selector", std::move(id), client, options) {}

    void end_work() { ask("end"); }
    bool requeue() { return ask("requeue")["queued"] == "true"; }
    void interrupt() { ask("interrupt"); }
};

/// A selector of docent's. Its work lasts until the test ends it or it is asked to stop.
class OurSelector {
public:
    OurSelector(Client& client, const std::string& id, bool auto_requeue = false)
        : selector_(client, "/lock", [this](const Lease& lead) { work(lead); }, {.id = id, .auto_requeue = auto_requeue}) {
        selector_.start();
    }
    ~OurSelector() { selector_.close(); }
    OurSelector(const OurSelector&) = delete;
    OurSelector& operator=(const OurSelector&) = delete;

    LeaderSelector* operator->() { return &selector_; }
    bool comes_to_lead() {
        return eventually([this] { return working_ && selector_.has_leadership(); });
    }
    void end_work() {
        const std::lock_guard lock(mutex_);
        may_end_ = true;
        changed_.notify_all();
    }

private:
    void work(const Lease& lead) {
        std::unique_lock lock(mutex_);
        working_ = true;
        changed_.wait(lock, lead.stop_token(), [this] { return may_end_; });
        working_ = may_end_ = false;
    }

    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool may_end_ = false;
    std::atomic<bool> working_{false};
    LeaderSelector selector_; // last: its work uses the others
};

class LeaderSelectorBesideCurator : public LocksFixture {
protected:
    static std::vector<std::string> ids(OurSelector& selector) { return data_of(selector->participants()); }
    std::string front() { return queue(detail::mutex_names()).front(); }
};

TEST_F(LeaderSelectorBesideCurator, DocentFollowsCurator) {
    JavaSelector theirs(java, not_ascii);
    ASSERT_TRUE(theirs.comes_to_lead());
    OurSelector ours(*client, "docent's");
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(eventually([&] { return is_waited_for(front()); }));
    EXPECT_FALSE(ours->has_leadership());
    EXPECT_EQ(ids(ours), (std::vector{theirs.id(), ours->id()}));
    EXPECT_EQ(ours->leader()->data, theirs.id());
    EXPECT_EQ(theirs.participants(), to_hex(theirs.id()) + "," + to_hex(ours->id()));
    theirs.end_work();
    EXPECT_TRUE(ours.comes_to_lead());
    EXPECT_EQ(ids(ours), std::vector{ours->id()});
    EXPECT_EQ(theirs.leader(), to_hex(ours->id()));
    EXPECT_TRUE(theirs.requeue());
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(ours->interrupt_leadership());
    EXPECT_TRUE(theirs.comes_to_lead());
}

TEST_F(LeaderSelectorBesideCurator, CuratorFollowsDocent) {
    OurSelector ours(*client, "docent's");
    ASSERT_TRUE(ours.comes_to_lead());
    const auto token = ours->leadership()->fencing_token();
    JavaSelector theirs(java, "curator's");
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(eventually([&] { return is_waited_for(front()); }));
    EXPECT_FALSE(theirs.leads());
    EXPECT_EQ(theirs.leader(), to_hex("docent's"));
    EXPECT_TRUE(ours->requeue());
    ours.end_work();
    EXPECT_TRUE(theirs.comes_to_lead());
    EXPECT_FALSE(ours->has_leadership());
    EXPECT_TRUE(eventually([&] { return ids(ours) == std::vector{theirs.id(), ours->id()}; }));
    theirs.interrupt();
    EXPECT_TRUE(ours.comes_to_lead());
    EXPECT_GT(ours->leadership()->fencing_token(), token);
}

TEST_F(LeaderSelectorBesideCurator, ARequeuingSelectorTakesTurnsWithTheOthers) {
    JavaSelector theirs(java, "curator's", "curator", {"requeues"});
    ASSERT_TRUE(theirs.comes_to_lead());
    OurSelector ours(*client, "docent's", true);
    for (int turns = 0; turns < 3; ++turns) {
        ASSERT_TRUE(queue_reaches(2));
        EXPECT_FALSE(ours->has_leadership());
        theirs.end_work();
        ASSERT_TRUE(ours.comes_to_lead());
        ASSERT_TRUE(queue_reaches(2));
        EXPECT_FALSE(theirs.leads());
        ours.end_work();
        ASSERT_TRUE(theirs.comes_to_lead());
    }
}

TEST_F(LeaderSelectorBesideCurator, AMutexAtThePathHasItsTurnToo) {
    OurSelector ours(*client, "docent's");
    ASSERT_TRUE(ours.comes_to_lead());
    JavaLock lock(java, "holder", "mutex");
    lock.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(lock.waits());
    ours.end_work();
    EXPECT_TRUE(lock.get());
    EXPECT_TRUE(ours->requeue());
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_FALSE(ours->has_leadership());
    lock.release();
    EXPECT_TRUE(ours.comes_to_lead());
}

} // namespace
} // namespace docent::test
