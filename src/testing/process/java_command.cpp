// SPDX-License-Identifier: Apache-2.0
#include "testing/process/java_command.hpp"

#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace docent::testing {

namespace fs = std::filesystem;

namespace {

constexpr auto debian_jar = "/usr/share/java/zookeeper.jar"; // its manifest names the other jars
constexpr auto debian_logging_jar = "/usr/share/java/slf4j-simple.jar";

bool is_program(const fs::path& file) {
    std::error_code ec;
    return fs::is_regular_file(file, ec) && ::access(file.c_str(), X_OK) == 0;
}

bool is_zookeeper_jar(const fs::path& file) {
    return file.extension() == ".jar" && file.filename().string().starts_with("zookeeper") &&
           !file.filename().string().starts_with("zookeeper-jute");
}

std::optional<fs::path> zookeeper_jar_in(const fs::path& folder) {
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(folder, ec)) {
        if (is_zookeeper_jar(entry.path())) return entry.path();
    }
    return std::nullopt;
}

std::string class_path_of(const fs::path& home) {
    std::string libraries = (home / "lib" / "*").string();
    if (zookeeper_jar_in(home / "lib")) return libraries; // ZooKeeper 3.5 and later
    if (const auto jar = zookeeper_jar_in(home)) return jar->string() + ":" + libraries;
    throw std::runtime_error("TestingServer: ZOOKEEPER_HOME is " + home.string() +
                             ", but there is no zookeeper*.jar in it or in its folder lib");
}

} // namespace

fs::path find_java() {
    if (const char* home = std::getenv("JAVA_HOME"); home && *home) {
        fs::path java = fs::path(home) / "bin" / "java";
        if (is_program(java)) return java;
        throw std::runtime_error("TestingServer: JAVA_HOME is " + std::string(home) +
                                 ", but there is no program bin/java in it");
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        fs::path java = fs::path(folder) / "java";
        if (is_program(java)) return java;
    }
    throw std::runtime_error("TestingServer: no Java runtime found; install one (on Debian: apt-get install "
                             "default-jre-headless) or set JAVA_HOME");
}

std::string find_zookeeper_class_path() {
    if (const char* home = std::getenv("ZOOKEEPER_HOME"); home && *home) return class_path_of(home);
    std::error_code ec;
    if (!fs::exists(debian_jar, ec)) {
        throw std::runtime_error("TestingServer: no ZooKeeper found; install it (on Debian: apt-get install "
                                 "libzookeeper-java) or set ZOOKEEPER_HOME to the folder of an unpacked release");
    }
    return fs::exists(debian_logging_jar, ec) ? std::string(debian_jar) + ":" + debian_logging_jar : debian_jar;
}

} // namespace docent::testing
