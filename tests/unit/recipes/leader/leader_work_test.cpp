// SPDX-License-Identifier: Apache-2.0
#include "fake_recipes/fake_selector.hpp"
#include "leader/leader_work.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace docent::detail {
namespace {

TEST(LeaderWork, WhoHasClosedTheSelectorHearsNothingMore) {
    for (const bool closes : {false, true}) {
        FakeWorld world{1, 1, selection_path};
        world.client(0).unreachable = true;
        asio::io_context users; // which is slow
        int heard = 0;
        const SelectorOptions options{.executor = users.get_executor(), .on_failure = [&heard](const auto&) { ++heard; }};
        auto parts = selector_parts(
            world.share(0), [](const Lease&) {}, options);
        int told = 0;
        const auto core = std::make_shared<SelectorCore>(
            world.share(0), selection_path, options, LeaseTerms{}, parts.work,
            [&told, report = parts.report](std::exception_ptr failure, std::weak_ptr<const Nominee> who) {
                ++told;
                report(std::move(failure), std::move(who));
            });
        core->start();
        ASSERT_TRUE(world.run_until([&] { return told == 1; }));
        if (closes) core->close([] {});
        users.run();
        EXPECT_EQ(heard, closes ? 0 : 1);
        core->close([] {});
    }
}

} // namespace
} // namespace docent::detail
