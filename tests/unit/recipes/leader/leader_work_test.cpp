// SPDX-License-Identifier: Apache-2.0
#include "fake_recipes/fake_selector.hpp"
#include "leader/selector_core.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

TEST(LeaderWork, AClosedSelectorReportsNoFailure) {
    for (const bool closes : {false, true}) {
        FakeWorld world{1, 1, selection_path};
        world.client(0).unreachable = true;
        asio::io_context users; // a slow executor
        int heard = 0;
        const SelectorOptions options{.executor = users.get_executor(), .on_failure = [&heard](const auto&) { ++heard; }};
        const auto reports = std::make_shared<FailureReports>(options.executor, options.on_failure);
        int told = 0;
        const auto core = std::make_shared<SelectorCore>(
            world.share(0), selection_path, options, LeaseTerms{}, [](const std::shared_ptr<LeaderTerm>&) {},
            [&told, reports](std::exception_ptr failure) {
                ++told;
                reports->report(std::move(failure));
            });
        core->set_reports(reports);
        core->start();
        ASSERT_TRUE(world.run_until([&] { return told == 1; }));
        if (closes) core->close([] {});
        users.run();
        EXPECT_EQ(heard, closes ? 0 : 1);
        core->close([] {});
    }
}

TEST(LeaderWork, CloseWaitsForTheReportThatIsUnderWay) {
    FakeWorld world{1, 1, selection_path};
    world.client(0).unreachable = true;
    asio::io_context users;
    std::shared_ptr<SelectorCore> core;
    bool closed = false;
    bool closed_inside = true;
    bool here = false;
    const auto reports = std::make_shared<FailureReports>(users.get_executor(), [&](const std::exception_ptr&) {
        here = core->works_here();
        core->close([&closed] { closed = true; });
        world.run_until([&] { return closed; }, 2000);
        closed_inside = closed;
    });
    bool told = false;
    core = std::make_shared<SelectorCore>(
        world.share(0), selection_path, SelectorOptions{}, LeaseTerms{}, [](const std::shared_ptr<LeaderTerm>&) {},
        [&](std::exception_ptr failure) {
            told = true;
            reports->report(std::move(failure));
        });
    core->set_reports(reports);
    core->start();
    ASSERT_TRUE(world.run_until([&] { return told; }));
    users.run();
    EXPECT_TRUE(here) << "a close() there must not wait";
    EXPECT_FALSE(closed_inside);
    EXPECT_TRUE(world.run_until([&] { return closed; }));
    EXPECT_FALSE(core->works_here());
}

/// An operation that the work itself has cancelled throws the same exception as one that the end of the leadership has
/// cancelled.
TEST(LeaderWork, OperationAbortedIsAFailureUnlessTheWorkWasAskedToStop) {
    for (const bool asked : {false, true}) {
        FakeWorld world{1, 1, selection_path};
        asio::io_context users;
        std::vector<error_code> failures;
        std::shared_ptr<SelectorCore> core;
        const auto work = [&](const Lease& lead) {
            if (asked) {
                EXPECT_TRUE(core->interrupt());
                EXPECT_TRUE(world.run_until([&] { return lead.stop_token().stop_requested(); }));
            }
            throw boost::system::system_error(asio::error::operation_aborted);
        };
        const auto on_failure = [&](const std::exception_ptr& failure) {
            try {
                std::rethrow_exception(failure);
            } catch (const boost::system::system_error& e) {
                failures.push_back(e.code());
            }
        };
        const SelectorOptions options{.executor = users.get_executor(), .on_failure = on_failure};
        core = std::make_shared<SelectorCore>(
            world.share(0), selection_path, options, LeaseTerms{},
            selector_work(world.client(0), LeaderSelector::Work(work), options), [](const std::exception_ptr&) {},
            [&world] { return world.client(0).boot_now(); });
        core->start();
        ASSERT_TRUE(world.run_until([&] { return core->leadership() != nullptr; }));
        users.run();
        EXPECT_EQ(failures, asked ? std::vector<error_code>{} : std::vector<error_code>{asio::error::operation_aborted});
        core->close([] {});
        EXPECT_TRUE(world.run_until([&] { return world.queue().empty(); }));
    }
}

/// A close() within the work does not wait for the work. Any other close() does.
TEST(LeaderWork, AfterTheWorkItsThreadIsNotWithinItAnyMore) {
    for (const bool is_coroutine : {false, true}) {
        FakeWorld world{1, 1, selection_path};
        asio::io_context users;
        std::shared_ptr<SelectorCore> core;
        bool within = false;
        const SelectorOptions options{.executor = users.get_executor()};
        const LeaderSelector::Work function = [&](const Lease&) { within = core->works_here(); };
        const LeaderSelector::CoroutineWork coroutine = [&](const Leadership&) -> asio::awaitable<void> {
            within = core->works_here();
            co_return;
        };
        auto run = is_coroutine ? selector_work(world.client(0), coroutine, options)
                                : selector_work(world.client(0), function, options);
        core = std::make_shared<SelectorCore>(
            world.share(0), selection_path, options, LeaseTerms{}, std::move(run), [](const std::exception_ptr&) {},
            [&world] { return world.client(0).boot_now(); });
        core->start();
        ASSERT_TRUE(world.run_until([&] { return core->leadership() != nullptr; }));
        users.run();
        EXPECT_TRUE(within) << is_coroutine;
        EXPECT_FALSE(core->works_here()) << is_coroutine;
        core->close([] {});
        EXPECT_TRUE(world.run_until([&] { return world.queue().empty(); }));
    }
}

} // namespace
} // namespace docent::detail
