// SPDX-License-Identifier: Apache-2.0
#include "testing/server_files.hpp"

#include "posix/descriptors.hpp"
#include "testing/process/server_process.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace docent::testing {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr auto main_class = "org.apache.zookeeper.server.ZooKeeperServerMain";
constexpr auto member_main_class = "org.apache.zookeeper.server.quorum.QuorumPeerMain";

/// For releases with these logging libraries, which are verbose by default. Debian's package uses system properties.
constexpr auto logback_configuration = R"(<configuration>
  <appender name="console" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%d %p %c - %m%n</pattern></encoder></appender>
  <root level="WARN"><appender-ref ref="console"/></root>
</configuration>
)";
constexpr auto log4j_configuration = R"(log4j.rootLogger=WARN, console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d %p %c - %m%n
)";

fs::path make_folder() {
    std::string pattern = (fs::temp_directory_path() / "docent-server-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::system_error(errno, std::generic_category(), pattern);
    return pattern;
}

/// Escapes a value for zoo.cfg, which is a Java properties file.
std::string escaped(const std::string& value) {
    std::string out;
    for (const char c : value) {
        if (c == '\\') out += '\\';
        out += c;
    }
    return out;
}

using Properties = std::map<std::string, std::string>;

/// The time limits between servers. They are configured in ticks, but a busy machine needs absolute times. A server that
/// believes that it leads, while the others have elected another leader, stays so for `initLimit`.
Properties member_defaults(std::chrono::milliseconds tick) {
    const auto ticks = [&](std::chrono::milliseconds time) {
        return std::to_string(std::max<std::int64_t>(2, time / std::max(tick, 1ms)));
    };
    return {{"initLimit", ticks(10s)}, {"syncLimit", ticks(5s)}, {"reconfigEnabled", "true"}, {"standaloneEnabled", "false"}};
}

void write_file(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    if (!(out << text << std::flush))
        throw std::system_error(errno, std::generic_category(), "TestingServer: cannot write " + file.string());
}

} // namespace

ServerFiles::ServerFiles(const ServerOptions& options) : data_is_temporary_(options.data_dir.empty()) {
    if (!data_is_temporary_) { // first, because this may fail
        data_ = fs::absolute(options.data_dir).lexically_normal();
        fs::create_directories(data_);
    }
    folder_ = make_folder();
    if (data_is_temporary_) data_ = folder_ / "data";
}

void ServerFiles::write_configuration(const ServerOptions& options, std::uint16_t port,
                                      const std::optional<Membership>& membership) const {
    Properties lines = {
        {"4lw.commands.whitelist", "*"}, {"admin.enableServer", "false"}, {"maxClientCnxns", "0"}, {"forceSync", "no"}};
    if (membership) lines.merge(member_defaults(options.tick_time));
    for (const auto& [name, value] : options.properties) lines[name] = value;
    const fs::path dynamic = folder_ / "zoo.cfg.dynamic";
    Properties fixed = {{"dataDir", data_.string()}, {"tickTime", std::to_string(options.tick_time.count())}};
    if (membership) {
        fixed.emplace("dynamicConfigFile", dynamic.string());
    } else {
        fixed.emplace("clientPort", std::to_string(port));
        fixed.emplace("clientPortAddress", "127.0.0.1");
    }
    for (const auto& [name, value] : fixed) {
        if (!lines.emplace(name, value).second) {
            throw std::runtime_error("TestingServer: " + name +
                                     " cannot be set as a property; see the fields of ServerOptions");
        }
    }
    std::string text;
    for (const auto& [name, value] : lines) text += name + '=' + escaped(value) + '\n';
    write_file(folder_ / "zoo.cfg", text);
    if (membership) {
        fs::create_directories(data_);
        write_file(data_ / "myid", std::to_string(membership->id()) + '\n');
        write_file(dynamic, dynamic_configuration(membership->members));
    }
    write_file(folder_ / "logback.xml", logback_configuration);
    write_file(folder_ / "log4j.properties", log4j_configuration);
}

std::vector<std::string> ServerFiles::command_line(const ServerOptions& options,
                                                   const std::optional<Membership>& membership) const {
    const std::string folder = folder_.string();
    std::vector<std::string> out = {find_java().string(),
                                    "-Xmx256m",
                                    "-XX:+UseSerialGC",
                                    "-XX:TieredStopAtLevel=1",
                                    "-Xshare:auto",
                                    "-XX:-UsePerfData", // otherwise Java leaves a file in the temporary folder
                                    "-Djava.io.tmpdir=" + folder,
                                    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                                    "-Dlogback.configurationFile=" + folder + "/logback.xml",
                                    "-Dlog4j.configuration=file:" + folder + "/log4j.properties"};
    if (membership) out.insert(out.end(), {"-Xmx96m", "-Dzookeeper.fastleader.maxNotificationInterval=1000"});
    out.insert(out.end(), options.java_options.begin(), options.java_options.end());
    out.insert(out.end(), {"-cp", find_zookeeper_class_path() + ":" + folder, membership ? member_main_class : main_class,
                           folder + "/zoo.cfg"});
    return out;
}

void ServerFiles::remove_logs_without_header() const noexcept {
    constexpr std::uintmax_t header_size = 16;
    std::error_code ec; // files that cannot be examined stay
    for (fs::directory_iterator entry(data_ / "version-2", ec), end; !ec && entry != end; entry.increment(ec)) {
        if (!entry->path().filename().string().starts_with("log.")) continue;
        std::error_code failed;
        if (entry->file_size(failed) < header_size) fs::remove(entry->path(), failed);
    }
}

std::string ServerFiles::log_tail() const {
    constexpr std::size_t longest = 2000;
    const std::string text = posix::read_file(log()).value_or("");
    return text.size() <= longest ? text : "..." + text.substr(text.size() - longest);
}

} // namespace docent::testing
