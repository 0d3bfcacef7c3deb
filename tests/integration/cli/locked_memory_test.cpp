// SPDX-License-Identifier: Apache-2.0

// docent lock while nobody can read the environment of a process (locked_memory.cpp). The search for the command's processes
// then takes until the test unlocks the memory.

#include "cli_fixture.hpp"
#include "posix/descriptors.hpp"

#include <string>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>

namespace docent::test {
namespace {

class LockedMemory : public CliTest {
protected:
    LockedMemory() { ::flock(lock_file_.get(), LOCK_EX); }

    /// docent lock around a command that ignores SIGTERM and starts another program.
    Setting lock_with_a_child() const {
        auto wanted = lock_soon_lost(goes_on(ignores_term + std::string("sleep 1000 & ") + write("$!", "child")));
        wanted.words.insert(wanted.words.begin(),
                            {"LD_PRELOAD=" DOCENT_LOCKED_MEMORY, "DOCENT_TEST_LOCKED_MEMORY=" + file("locked"), DOCENT_BINARY});
        wanted.program = "/usr/bin/env";
        return wanted;
    }
    bool holds_up_a_search() const { return appears("locked"); }
    void unlock() { lock_file_.reset(); }

private:
    posix::UniqueFd lock_file_{::open(file("locked").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
};

TEST_F(LockedMemory, ACommandAndItsChildAreKilledInTime) {
    DocentProcess holder(lock_with_a_child());
    ASSERT_TRUE(appears("pid"));
    server.kill();
    EXPECT_TRUE(ends(pid_in("pid")));
    EXPECT_TRUE(ends(pid_in("child")));
    EXPECT_TRUE(holds_up_a_search());
    unlock();
    EXPECT_EQ(holder.exit_status(), 76);
}

TEST_F(LockedMemory, ACommandAndItsChildAreKilledInTimeWhileDocentIsStopped) {
    DocentProcess holder(lock_with_a_child());
    ASSERT_TRUE(appears("pid"));
    const pid_t guard = parent_of(pid_in("pid"));
    holder.send(SIGSTOP);
    EXPECT_TRUE(ends(pid_in("pid")));
    EXPECT_TRUE(ends(pid_in("child")));
    EXPECT_TRUE(holds_up_a_search());
    unlock();
    holder.send(SIGCONT);
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_TRUE(ends(guard));
}

} // namespace
} // namespace docent::test
