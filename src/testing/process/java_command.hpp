// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace docent::testing {

/// What a ZooKeeper server is started with. Both throw std::runtime_error, saying what to install.

/// `$JAVA_HOME/bin/java`, or the first `java` of `$PATH`.
std::filesystem::path find_java();
/// The class path of `$ZOOKEEPER_HOME` if that is set, else of Debian's libzookeeper-java.
std::string find_zookeeper_class_path();

} // namespace docent::testing
