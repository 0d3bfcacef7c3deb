// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace docent::testing {

/// The parts of a ZooKeeper server's command line. Both functions throw std::runtime_error, with advice what to install.

/// `$JAVA_HOME/bin/java`, or the first `java` of `$PATH`.
std::filesystem::path find_java();
/// The class path of `$ZOOKEEPER_HOME` if that is set, else of Debian's libzookeeper-java.
std::string find_zookeeper_class_path();

} // namespace docent::testing
