// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "proxied_test.hpp"
#include "queue_at.hpp"

#include <docent/docent.hpp>

#include <gtest/gtest.h>

namespace docent {

using namespace std::chrono_literals;

class MutexTest : public ProxiedTest {
protected:
    explicit MutexTest(Sessions sessions = Sessions::usual) : ProxiedTest(sessions) {}

    InterProcessMutex mutex{client, "/locks/job"};
    InterProcessMutex contender{other, "/locks/job"};

    std::vector<std::string> nodes() { return test::queue_at(other, "/locks/job"); }
    bool queue_reaches(std::size_t length) { return test::queue_reaches(other, "/locks/job", length); }
};

} // namespace docent
