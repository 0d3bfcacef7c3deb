// SPDX-License-Identifier: Apache-2.0
// The testing library when no file descriptor is left: it reports the error and leaks nothing.
#include "eventually.hpp"
#include "limits.hpp"

#include "testing/ports.hpp"
#include "testing/process/child_process.hpp"

#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include <netinet/in.h>
#include <sys/socket.h>

namespace docent::testing {
namespace {

using namespace std::chrono_literals;

/// Expects a failure that names the lack of descriptors.
template <typename Function> void expect_no_descriptors(Function function) {
    try {
        function();
        FAIL() << "it succeeds without a descriptor";
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string(e.what()).find("Too many open files"), std::string::npos) << e.what();
    }
}

TEST(NoDescriptors, AreNotTakenForTakenPorts) {
    const PortLease lease;
    const test::DescriptorLimit limit;
    expect_no_descriptors([&] { port_is_free(lease.port()); });
    expect_no_descriptors([] { const PortLease none; });
}

TEST(NoDescriptors, AreNotTakenForASilentServer) {
    const test::DescriptorLimit limit;
    expect_no_descriptors([] { ask_server(1, "ruok", 1s); });
}

TEST(NoDescriptors, LeaveNoFolderWithoutAWatchdog) {
    const auto folder = std::filesystem::temp_directory_path() / ("docent-test-" + std::to_string(::getpid()));
    for (const rlim_t more : {0U, 1U, 2U, 3U, 4U}) {
        std::filesystem::create_directory(folder);
        const auto before = test::open_descriptors();
        {
            const test::DescriptorLimit limit(more);
            expect_no_descriptors([&] { const Watchdog watchdog(folder); });
        }
        EXPECT_FALSE(std::filesystem::exists(folder)) << more;
        EXPECT_EQ(test::open_descriptors(), before);
    }
}

TEST(NoDescriptors, LeaveNoProxy) {
    const auto before = test::open_descriptors();
    // Descriptors: three of the reactor (it works without its timer), and two to reserve and to check the port.
    for (rlim_t more = 0; more < 5; ++more) {
        const test::DescriptorLimit limit(more);
        expect_no_descriptors([] { const FaultProxy proxy(1); });
    }
    EXPECT_EQ(test::open_descriptors(), before);
}

TEST(NoDescriptors, AProxyAcceptsAsSoonAsThereAreSome) {
    FaultProxy proxy(1); // no server there: the proxy accepts and closes
    const posix::UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    std::optional<test::DescriptorLimit> limit(std::in_place);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(proxy.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0); // the kernel accepts it
    timespec before{};
    timespec after{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    char byte = 0;
    const timeval patience{0, 300'000};
    ::setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(::recv(client.get(), &byte, 1, 0), -1); // the proxy does not serve the connection
    EXPECT_EQ(errno, EAGAIN);
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    const auto used = (after.tv_sec - before.tv_sec) * 1'000'000'000L + after.tv_nsec - before.tv_nsec;
    EXPECT_LT(used, 100'000'000L) << "it does not try all the time";
    EXPECT_EQ(proxy.connections(), 0u);
    limit.reset();
    EXPECT_TRUE(test::eventually([&] { return proxy.connections() == 1; }));
}

} // namespace
} // namespace docent::testing
