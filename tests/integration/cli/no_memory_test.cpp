// SPDX-License-Identifier: Apache-2.0

// docent lock when an allocation of its first thread fails (no_memory.cpp).

#include "cli_fixture.hpp"

#include <docent/testing/fault_proxy.hpp>

#include <fstream>
#include <string>

namespace docent::test {
namespace {

using docent::testing::Direction;
using docent::testing::FaultProxy;

class NoMemory : public CliTest {
protected:
    Setting preloaded(Setting wanted) const {
        wanted.words.insert(wanted.words.begin(),
                            {"LD_PRELOAD=" DOCENT_NO_MEMORY, "DOCENT_TEST_NO_MEMORY=" + file("process"), DOCENT_BINARY});
        wanted.program = "/usr/bin/env";
        return wanted;
    }
};

TEST_F(NoMemory, TheCommandIsKilledBeforeTheLockIsReleased) {
    FaultProxy proxy(server.port());
    DocentProcess holder(preloaded(through(proxy, lock(goes_on(ignores_term), {"--max-hold", "4s", "--grace", "1000s"}))));
    ASSERT_TRUE(appears("pid"));
    const pid_t command = pid_in("pid");
    proxy.black_hole(Direction::to_client); // docent waits for the answer to its release
    std::ofstream(file("process")) << parent_of(parent_of(command));
    ASSERT_TRUE(queue_reaches(0));
    EXPECT_FALSE(is_alive(command));
    EXPECT_EQ(holder.exit_status(), 1);
    EXPECT_NE(messages(holder).find("out of memory"), std::string::npos) << holder.errors();
}

} // namespace
} // namespace docent::test
