// SPDX-License-Identifier: Apache-2.0
#include "testing/process/server_process.hpp"

#include <gtest/gtest.h>

namespace docent::testing {
namespace {

TEST(ServerLog, LastCauseOfAnExceptionIsTheReason) {
    EXPECT_EQ(reason_in("[main] WARN a.B - maxCnxns is not configured, using default value 0.\n"
                        "[main] ERROR a.QuorumPeerMain - Invalid config, exiting abnormally\n"
                        "a.QuorumPeerConfig$ConfigException: Error processing /tmp/zoo.cfg\n"
                        "\tat a.QuorumPeerConfig.parse(QuorumPeerConfig.java:197)\n"
                        "Caused by: java.lang.NumberFormatException: For input string: \"many\"\n"
                        "\tat java.base/java.lang.Integer.parseInt(Integer.java:652)\n"
                        "\t... 3 more\n"
                        "Invalid config, exiting abnormally\n"
                        "[main] ERROR a.ServiceUtils - Exiting JVM with code 2\n"),
              "Caused by: java.lang.NumberFormatException: For input string: \"many\"");
}

/// A client that connects while the server ends makes another thread fail.
TEST(ServerLog, AnErrorOfTheMainThreadIsTheReasonAlsoIfAnotherThreadFailsAfterIt) {
    const std::string other = "[NIOServerCxnFactory.SelectorThread-0] WARN a.NIOServerCnxn - Unexpected exception\n"
                              "java.lang.NullPointerException: Cannot invoke \"a.removeCnxn()\" because \"this.zkDb\" is null\n"
                              "\tat a.ZooKeeperServer.removeCnxn(ZooKeeperServer.java:1)\n";
    EXPECT_EQ(reason_in("[main] ERROR a.ZooKeeperServerMain - Unexpected exception, exiting abnormally\n"
                        "java.io.IOException: Unable to create data directory /data/version-2\n"
                        "\tat a.FileTxnSnapLog.<init>(FileTxnSnapLog.java:119)\n" +
                        other + "[main] ERROR a.ServiceUtils - Exiting JVM with code 1\n"),
              "java.io.IOException: Unable to create data directory /data/version-2");
    EXPECT_EQ(reason_in(other),
              "java.lang.NullPointerException: Cannot invoke \"a.removeCnxn()\" because \"this.zkDb\" is null");
}

TEST(ServerLog, TheRuntimeNamesItsOwnFailure) {
    EXPECT_EQ(reason_in("NOTE: Picked up JDK_JAVA_OPTIONS: -XX:Foo\n"
                        "Unrecognized VM option 'Foo'\n"
                        "Error: Could not create the Java Virtual Machine.\n"
                        "Error: A fatal exception has occurred. Program will exit.\n"),
              "Unrecognized VM option 'Foo'");
    EXPECT_EQ(reason_in("OpenJDK 64-Bit Server VM warning: INFO: os::commit_memory(0x1, 2, 0) failed\n"
                        "#\n"
                        "# There is insufficient memory for the Java Runtime Environment to continue.\n"
                        "# An error report file with more information is saved as:\n"
                        "# /tmp/hs_err_pid1.log\n"),
              "There is insufficient memory for the Java Runtime Environment to continue.");
    EXPECT_EQ(reason_in("#\n"
                        "# A fatal error has been detected by the Java Runtime Environment:\n"
                        "#\n"
                        "#  SIGSEGV (0xb) at pc=0x00007f, pid=1, tid=2\n"),
              "SIGSEGV (0xb) at pc=0x00007f, pid=1, tid=2");
}

TEST(ServerLog, ALogOfRemarksHasNoReason) {
    EXPECT_EQ(reason_in(""), "");
    EXPECT_EQ(reason_in("Picked up JAVA_TOOL_OPTIONS: -Xms1g\n"), "");
}

} // namespace
} // namespace docent::testing
