// SPDX-License-Identifier: Apache-2.0

#include "testing/process/server_process.hpp"
#include "posix/descriptors.hpp"
#include "testing/process/certificates.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <boost/system/system_error.hpp>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace docent::testing {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

constexpr auto debian_jar = "/usr/share/java/zookeeper.jar"; // its manifest names the other jars
// Jars that Netty needs for TLS, and that the manifest does not name.
constexpr auto debian_tls_jars = ":/usr/share/java/netty-codec.jar:/usr/share/java/netty-resolver.jar";
constexpr auto debian_logging_jar = "/usr/share/java/slf4j-simple.jar";

bool is_program(const fs::path& file) {
    std::error_code ec;
    return fs::is_regular_file(file, ec) && ::access(file.c_str(), X_OK) == 0;
}

std::optional<fs::path> zookeeper_jar_in(const fs::path& folder) {
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(folder, ec)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("zookeeper") && !name.starts_with("zookeeper-jute") && name.ends_with(".jar")) return entry.path();
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
    throw std::runtime_error("TestingServer: no Java runtime found; install one and ZooKeeper (on Debian: apt-get install "
                             "default-jre-headless libzookeeper-java) or set JAVA_HOME");
}

std::string find_zookeeper_class_path() {
    if (const char* home = std::getenv("ZOOKEEPER_HOME"); home && *home) return class_path_of(home);
    std::error_code ec;
    if (!fs::exists(debian_jar, ec)) {
        throw std::runtime_error("TestingServer: no ZooKeeper found; install it (on Debian: apt-get install "
                                 "libzookeeper-java) or set ZOOKEEPER_HOME to the folder of an unpacked release");
    }
    const std::string path = std::string(debian_jar) + debian_tls_jars;
    return fs::exists(debian_logging_jar, ec) ? path + ":" + debian_logging_jar : path;
}

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

/// Creates the data folder that the user has named. Returns its absolute path.
fs::path make_data_folder(const fs::path& named) {
    fs::path data = fs::absolute(named).lexically_normal();
    fs::create_directories(data);
    return data;
}

using Properties = std::map<std::string, std::string>;

/// The time limits between servers. They are configured in ticks, but a busy machine needs absolute times. A leader
/// that does not know of its successor goes on for `initLimit`.
Properties member_defaults(std::chrono::milliseconds tick) {
    const auto ticks = [&](std::chrono::milliseconds time) {
        return std::to_string(std::max<std::int64_t>(2, time / std::max(tick, 1ms)));
    };
    return {{"initLimit", ticks(10s)}, {"syncLimit", ticks(5s)}, {"reconfigEnabled", "true"}, {"standaloneEnabled", "false"}};
}

/// All members as lines of a dynamic configuration file.
std::string dynamic_configuration(const std::vector<MemberPorts>& members) {
    std::string text;
    for (std::size_t i = 0; i < members.size(); ++i) {
        text += "server." + std::to_string(i + 1) + "=127.0.0.1:" + std::to_string(members[i].quorum) + ':' +
                std::to_string(members[i].election) + ":participant;127.0.0.1:" + std::to_string(members[i].client) + '\n';
    }
    return text;
}

void write_file(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    if (!(out << text << std::flush))
        throw std::system_error(errno, std::generic_category(), "TestingServer: cannot write " + file.string());
}

constexpr auto longest_start = 60s;
constexpr auto longest_stop = 15s;
/// A server that is not ready yet may never answer an early question, so ask again after this time.
constexpr auto longest_early_answer = 250ms;

} // namespace

Properties tls_properties(const fs::path& folder) {
    return {{"serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory"},
            {"ssl.keyStore.location", folder / "server.pem"},
            {"ssl.keyStore.type", "PEM"},
            {"ssl.trustStore.location", folder / "ca.pem"},
            {"ssl.trustStore.type", "PEM"}};
}

ServerProcess::ServerProcess(ServerOptions options, std::uint16_t port, std::optional<Membership> membership)
    : options_(std::move(options)), membership_(std::move(membership)),
      data_(data_is_temporary() ? fs::path() : make_data_folder(options_.data_dir)), // first, because this may fail
      tls_lease_(options_.tls ? std::optional<PortLease>(std::in_place) : std::nullopt), folder_(make_folder()),
      watchdog_(folder_) {
    if (tls_lease_) write_certificates(folder_);
    if (data_is_temporary()) data_ = folder_ / "data";
    use_port(port);
}

ServerProcess::~ServerProcess() {
    if (running()) end(SIGKILL);
}

std::uint16_t ServerProcess::tls_port() const {
    if (!tls_lease_) throw std::runtime_error("TestingServer: it has no TLS; set ServerOptions::tls");
    return tls_lease_->port();
}

void ServerProcess::use_port(std::uint16_t port) {
    port_ = port;
    write_configuration();
}

void ServerProcess::write_configuration() const {
    Properties lines = {
        {"4lw.commands.whitelist", "*"}, {"admin.enableServer", "false"}, {"maxClientCnxns", "0"}, {"forceSync", "no"}};
    if (membership_) lines.merge(member_defaults(options_.tick_time));
    if (tls_lease_) lines.merge(tls_properties(folder_));
    for (const auto& [name, value] : options_.properties) lines[name] = value;
    const fs::path dynamic = folder_ / "zoo.cfg.dynamic";
    Properties fixed = {{"dataDir", data_.string()}, {"tickTime", std::to_string(options_.tick_time.count())}};
    if (membership_) {
        fixed.emplace("dynamicConfigFile", dynamic.string());
    } else {
        fixed.emplace("clientPort", std::to_string(port_));
        fixed.emplace("clientPortAddress", "127.0.0.1");
    }
    if (tls_lease_) {
        fixed.emplace("secureClientPort", std::to_string(tls_lease_->port()));
        fixed.emplace("secureClientPortAddress", "127.0.0.1");
    }
    for (const auto& [name, value] : fixed) {
        if (!lines.emplace(name, value).second) {
            throw std::runtime_error("TestingServer: " + name +
                                     " cannot be set as a property; see the fields of ServerOptions");
        }
    }
    std::string text;
    for (const auto& [name, value] : lines) { // zoo.cfg is a Java properties file
        text += name + '=' + boost::algorithm::replace_all_copy(value, "\\", "\\\\") + '\n';
    }
    write_file(folder_ / "zoo.cfg", text);
    if (membership_) {
        fs::create_directories(data_);
        write_file(data_ / "myid", std::to_string(membership_->id()) + '\n');
        write_file(dynamic, dynamic_configuration(membership_->members));
    }
    write_file(folder_ / "logback.xml", logback_configuration);
    write_file(folder_ / "log4j.properties", log4j_configuration);
}

std::vector<std::string> ServerProcess::command_line() const {
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
    if (membership_) out.insert(out.end(), {"-Xmx96m", "-Dzookeeper.fastleader.maxNotificationInterval=1000"});
    out.insert(out.end(), options_.java_options.begin(), options_.java_options.end());
    out.insert(out.end(), {"-cp", find_zookeeper_class_path() + ":" + folder, membership_ ? member_main_class : main_class,
                           folder + "/zoo.cfg"});
    return out;
}

StartResult ServerProcess::start() {
    try {
        const StartResult result = launch();
        return result == StartResult::ready ? wait_until_answers() : result;
    } catch (...) {
        if (running()) end(SIGKILL); // a failed start leaves no process
        throw;
    }
}

StartResult ServerProcess::launch() {
    if (taken_port()) return StartResult::port_taken;
    remove_logs_without_header();
    const posix::UniqueFd log(::open(log_file().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!log) throw std::system_error(errno, std::generic_category(), log_file().string());
    const auto arguments = command_line();
    try {
        process_ = ChildProcess(arguments, {.output = log.get(), .announce_to = watchdog_.announce_to()});
    } catch (...) {
        watchdog_.forget_process();
        throw;
    }
    return StartResult::ready;
}

StartResult ServerProcess::wait_until_answers() {
    const auto deadline = steady_clock::now() + longest_start;
    while (!answers_as_ours()) {
        if (!running()) {
            if (taken_port()) return StartResult::port_taken;
            fail("ZooKeeper " + process_.end_description() + " while it was starting");
        }
        if (steady_clock::now() >= deadline) {
            end(SIGKILL);
            fail("ZooKeeper did not answer within a minute");
        }
        std::this_thread::sleep_for(2ms);
    }
    return StartResult::ready;
}

std::optional<std::uint16_t> ServerProcess::taken_port() const {
    std::vector<std::uint16_t> ports{port_};
    if (membership_) ports.insert(ports.end(), {membership_->own_ports().quorum, membership_->own_ports().election});
    const auto taken = std::find_if_not(ports.begin(), ports.end(), &port_is_free);
    return taken == ports.end() ? std::nullopt : std::optional(*taken);
}

bool ServerProcess::running() noexcept {
    if (process_.pid() == 0) return false;
    if (process_.poll_running()) return true;
    paused_ = false;
    watchdog_.forget_process(); // the server ended by itself
    return false;
}

bool ServerProcess::answers_as_ours() const {
    try {
        const std::string serves = ask_server(port_, "srvr", longest_early_answer);
        if (membership_ ? serves.empty() : serves.find("Mode:") == std::string::npos) return false;
        const std::string answer = ask_server(port_, "envi", longest_answer); // `conf` answers only with a quorum
        return answer_field(answer, "java.class.path", '=').ends_with(folder_.string());
    } catch (const boost::system::system_error&) {
        throw; // the question could not be sent
    } catch (const std::runtime_error&) {
        return false; // not listening yet
    }
}

void ServerProcess::end(int signal) noexcept {
    process_.send(signal);
    process_.send(SIGCONT); // a paused process handles the signal only when it continues
    if (!process_.wait_ended(longest_stop)) {
        process_.send(SIGKILL);
        process_.wait_ended(longest_stop);
    }
    paused_ = false;
    watchdog_.forget_process();
}

void ServerProcess::pause() noexcept {
    process_.pause(longest_answer);
    paused_ = true;
}

void ServerProcess::resume() noexcept {
    process_.send(SIGCONT);
    paused_ = false;
}

void ServerProcess::remove_logs_without_header() const noexcept {
    constexpr std::uintmax_t header_size = 16;
    std::error_code ec; // files that cannot be examined stay
    for (fs::directory_iterator entry(data_ / "version-2", ec), end; !ec && entry != end; entry.increment(ec)) {
        if (!entry->path().filename().string().starts_with("log.")) continue;
        std::error_code failed;
        if (entry->file_size(failed) < header_size) fs::remove(entry->path(), failed);
    }
}

namespace {

/// Parts of lines that do not say why the server has ended.
constexpr std::array<std::string_view, 6> remarks = {
    "exiting abnormally",
    "Exiting JVM with code",
    "Error: Could not create the Java Virtual Machine",
    "Error: A fatal exception has occurred",
    "Picked up ",
    "is not configured, using default value",
};

bool is_remark(std::string_view line) {
    return line.empty() || line.front() == '\t' || // of a stack trace
           std::any_of(remarks.begin(), remarks.end(),
                       [&](std::string_view remark) { return line.find(remark) != std::string_view::npos; });
}

} // namespace

std::string reason_in(std::string_view log) {
    std::istringstream lines{std::string(log)};
    std::string reason;
    std::string reason_of_main;
    bool of_main = false;
    for (std::string line; std::getline(lines, line);) {
        const auto text = line.find_first_not_of("# ");
        // The Java runtime reports its own crash in lines that begin with `#`. The reason is the first line that is no heading.
        if (line.starts_with("# ") && text != line.npos && !line.ends_with(':')) return line.substr(text);
        if (line.starts_with('[')) of_main = line.starts_with("[main] ERROR"); // the exception follows
        if (!is_remark(line)) (of_main ? reason_of_main : reason) = line;
    }
    return reason_of_main.empty() ? reason : reason_of_main;
}

void ServerProcess::fail(const std::string& what) const {
    constexpr std::size_t longest = 2000;
    std::string text = "TestingServer: " + what;
    const std::string log = posix::read_file(log_file()).value_or("");
    if (const std::string reason = reason_in(log); !reason.empty()) text += ": " + reason;
    if (!log.empty())
        text += "\nThe end of its log:\n" + (log.size() > longest ? "..." + log.substr(log.size() - longest) : log);
    throw std::runtime_error(text);
}

} // namespace docent::testing
