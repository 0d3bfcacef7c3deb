// SPDX-License-Identifier: Apache-2.0

// LeaderSelector: docent's and Curator's take turns at one path.

#include "locks_fixture.hpp"

#include <docent/recipes/leader/leader_selector.hpp>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace docent::test {
namespace {

/// A selector of Curator's at /lock, on a thread of the Java peer that is named by the selector's id.
class JavaSelector {
public:
    JavaSelector(JavaPeer& peer, std::string id, const std::string& client = "curator", const Words& options = {})
        : peer_(peer), id_(std::move(id)), words_{"client=" + client, "path=/lock", "id=" + to_hex(id_)} {
        words_.insert(words_.end(), options.begin(), options.end());
        ask("selector-start");
    }

    const std::string& id() const { return id_; }
    bool leads() { return ask("selector-leads")["leads"] == "true"; }
    bool comes_to_lead() { return ask("selector-await")["leads"] == "true"; }
    std::string leader() { return ask("selector-leader")["leader"]; }          // in hex
    std::string participants() { return ask("selector-participants")["ids"]; } // in hex, separated by commas
    void end_work() { ask("selector-end"); }
    bool requeue() { return ask("selector-requeue")["queued"] == "true"; }
    void interrupt() { ask("selector-interrupt"); }

private:
    JavaAnswer ask(const std::string& verb) {
        peer_.send(id_, verb, words_);
        const JavaAnswer answer = peer_.await(id_);
        EXPECT_EQ(answer.error, "") << verb;
        return answer;
    }

    JavaPeer& peer_;
    std::string id_;
    Words words_;
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
    static std::vector<std::string> ids(OurSelector& selector) {
        std::vector<std::string> all;
        for (const auto& each : selector->participants()) all.push_back(each.data);
        return all;
    }
    std::string front() { return queue(detail::mutex_names()).front(); }
};

TEST_F(LeaderSelectorBesideCurator, DocentFollowsCurator) {
    JavaSelector theirs(java, "Gr\xc3\xbc\xc3\x9f"
                              "e");
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

TEST_F(LeaderSelectorBesideCurator, TheNextLeadsWhenASessionEnds) {
    open_curator("short", {"session-timeout=2000"});
    JavaSelector theirs(java, "curator's", "short");
    ASSERT_TRUE(theirs.comes_to_lead());
    OurSelector ours(*client, "docent's");
    ASSERT_TRUE(queue_reaches(2));
    client->renew_session(); // a waiter enters again at the tail
    ASSERT_TRUE(eventually([&] { return ids(ours) == std::vector{theirs.id(), ours->id()}; }));
    java.kill();
    EXPECT_TRUE(ours.comes_to_lead());
    EXPECT_TRUE(queue_reaches(1));
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
