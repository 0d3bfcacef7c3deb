// SPDX-License-Identifier: Apache-2.0

// A job that many clients may run once in a period, on a fake ensemble with all kinds of faults. One run counts, by any client.
// No client runs the job if it was done before the client asked. In the end, every client finds the job done.

#include "fake_recipes/job_worker.hpp"
#include "fake_recipes/workload_injuries.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

std::unique_ptr<Workload> workload_with_job(std::uint64_t seed, double fails) {
    auto workload = std::make_unique<Workload>(seed, 3, std::vector<std::string>{"/jobs/nightly"});
    const auto book = std::make_shared<JobBook>("/jobs/nightly");
    for (std::size_t n = 0; n < 4; ++n) workload->add<JobWorker>(n % 3, book, fails);
    return workload;
}

TEST(OncePerPeriodScenario, OneRunCountsAndAllFindItDone) {
    int achieved = 0;
    for (std::uint64_t seed = 0; seed < seeds(300) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto workload = workload_with_job(seed, 0.3);
        workload->world.fault_rate = 0.005 * static_cast<double>(seed % 8);
        if (seed % 5 == 0) workload->world.longest_step = std::chrono::milliseconds{10 + 40 * (seed % 8)};
        workload->run(600);
        workload->expect_good_end();
        achieved += workload->achieved();
    }
    EXPECT_GE(achieved, static_cast<int>(4 * seeds(300))); // every client found it done
}

class OncePerPeriodInjury : public testing::TestWithParam<Injury<Workload>> {};

TEST_P(OncePerPeriodInjury, EndsWell) {
    const auto make = [](std::uint64_t seed) { return workload_with_job(seed, 0); };
    expect_good_end_at_each_step(4, make, [](Workload& workload) {
        GetParam().inflict(workload);
        workload.run(100);
    });
}

INSTANTIATE_TEST_SUITE_P(OncePerPeriod, OncePerPeriodInjury, testing::ValuesIn(all_workload_injuries()),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace docent::detail
