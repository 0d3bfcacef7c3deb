// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/command_cgroup.hpp"
#include "eventually.hpp"
#include "posix/descriptors.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace docent::test {

/// The folder of a process's cgroup (version 2); empty if there is none.
inline std::string cgroup_of(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid) + "/";
    const auto place =
        cli::find_cgroup(posix::read_file(folder + "mountinfo").value_or(""), posix::read_file(folder + "cgroup").value_or(""));
    return place ? place->folder : "";
}

inline bool move_to_cgroup(pid_t pid, const std::string& cgroup) {
    std::ofstream file(cgroup + "/cgroup.procs");
    return static_cast<bool>(file << pid << std::flush);
}

/// Makes a cgroup for a test, below the cgroup of this process. Returns its folder. Returns nothing if this process may not
/// make one, or without cgroup.kill (Linux 5.14).
inline std::string make_test_cgroup() {
    const std::string own = cgroup_of(::getpid());
    std::string made = own + "/test-XXXXXX";
    if (own.empty() || ::mkdtemp(made.data()) == nullptr) return {};
    if (std::filesystem::exists(made + "/cgroup.kill")) return made;
    ::rmdir(made.c_str());
    return {};
}

/// Lets a docent that runs in this cgroup make others below it, as systemd's Delegate=yes does.
inline void delegate_cgroup(const std::string& cgroup) {
    ::setxattr(cgroup.c_str(), "user.delegate", "1", 1, 0);
}

/// Returns false if something is left inside.
inline bool remove_test_cgroup(const std::string& cgroup) {
    return eventually([&] { return ::rmdir(cgroup.c_str()) == 0; });
}

/// Skips a test for which make_test_cgroup() has made none. The test fails instead if DOCENT_REQUIRE_CGROUP is set. `.ci/run`
/// sets it if it can make a cgroup itself. Call this as the last action of SetUp() or of the test.
inline void skip_without_cgroup() {
    if (std::getenv("DOCENT_REQUIRE_CGROUP") != nullptr)
        FAIL() << "no cgroup was made for the test, but DOCENT_REQUIRE_CGROUP is set";
    GTEST_SKIP() << "no cgroup (version 2, Linux 5.14) can be made here";
}

} // namespace docent::test
