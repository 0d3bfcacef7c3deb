// SPDX-License-Identifier: Apache-2.0
#include "nemesis/ground.hpp"

#include "testing/process/certificates.hpp"
#include "testing/process/server_process.hpp"

#include <docent/recipes/partitioner.hpp>

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace docent::chaos {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using namespace std::string_literals;
using testing::FaultProxy;
using testing::Traffic;

namespace {

std::vector<std::string> curator_command() {
#ifdef DOCENT_CHAOS_CLASS_PATH
    return {testing::find_java().string(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m", "-cp",
            DOCENT_CHAOS_CLASS_PATH,       "CuratorWorker"};
#else
    throw std::runtime_error("this chaos was built without Curator (DOCENT_BUILD_INTEROP_TESTS)");
#endif
}

/// More lines for the servers' configuration. Writes the certificates for TLS.
std::map<std::string, std::string> properties_of(const GroundOptions& options) {
    std::map<std::string, std::string> properties{{"reconfigEnabled", "false"}};
    if (!options.tls) return properties;
    const fs::path folder = options.folder / certificates;
    fs::create_directory(folder);
    testing::write_certificates(folder);
    properties.merge(testing::tls_properties(folder));
    properties.emplace("client.portUnification", "true"); // each port takes clients with TLS and without
    // Without a separate port for TLS, the server does not load this provider.
    properties.emplace("authProvider.x509", "org.apache.zookeeper.server.auth.X509AuthenticationProvider");
    return properties;
}

} // namespace

Ground::Ground(const GroundOptions& options, Journal& journal)
    : options_(options), journal_(journal),
      cluster_({.properties = properties_of(options_),
                .java_options = {"-Dzookeeper.preAllocSize=1024"},
                .leader_port = [this](std::size_t from, std::size_t to, std::uint16_t port) {
                    return (links_[{from, to}] = std::make_unique<FaultProxy>(port, Traffic::bytes))->port();
                }}) {
    observer_ = std::make_unique<Observer>(cluster_.connect_string(), journal_);
    journal_.add("timeout " + std::to_string(options_.session_timeout.count()));
    for (const char* resource : resources) journal_.add(std::string("resource ") + resource);
    for (const auto& item : numbered_items(partition_items)) journal_.add("item " + partition_item_path(partition, item));
    workers_.resize(options_.clients + options_.curators);
    for (std::size_t place = 0; place < workers_.size(); ++place) {
        const auto traffic = speaks_tls() && !is_curator(place) ? Traffic::bytes : Traffic::requests;
        for (std::size_t server = 0; server < cluster_.size(); ++server) {
            ways_.emplace_back(cluster_.server(server).port(), traffic);
        }
    }
    for (std::size_t place = 0; place < workers_.size(); ++place) start_worker(place);
}

void Ground::start_worker(std::size_t place) {
    std::string connect = speaks_tls() && !is_curator(place) ? "tls://" : "";
    for (std::size_t server = 0; server < cluster_.size(); ++server) {
        connect += (server == 0 ? "" : ",") + way(place, server).connect_string();
    }
    ++started_;
    const WorkerTask task{.name = (is_curator(place) ? "j" : "w") + std::to_string(place) + '.' + std::to_string(started_),
                          .folder = options_.folder,
                          .connect = connect,
                          .seed = options_.seed * 1'000'003 + started_,
                          .session_timeout = options_.session_timeout};
    workers_.at(place) = nullptr; // end the old process first
    workers_.at(place) =
        std::make_unique<WorkerProcess>(task, is_curator(place) ? curator_command() : std::vector{options_.program, "worker"s});
    journal_.add("starting " + task.name);
}

std::optional<std::int64_t> Ground::session_of(std::size_t place) const {
    std::ifstream in(options_.folder / (workers_.at(place)->name() + ".history"));
    std::optional<std::int64_t> session;
    for (std::string line; std::getline(in, line);) { // TIME session EPOCH SESSION STATE ...
        std::istringstream words(line);
        std::string time, kind, epoch, state;
        std::int64_t id = 0;
        if (words >> time >> kind && kind == "session" && words >> epoch >> id >> state)
            session = state == "connected" ? std::optional(id) : session;
    }
    return session;
}

void Ground::keep_logs_of(std::size_t server) {
    const fs::path from = cluster_.server(server).data_dir() / "version-2";
    const fs::path to = options_.folder / "logs" / (std::to_string(server) + '-' + std::to_string(++kept_));
    fs::create_directories(to);
    for (const auto& entry : fs::directory_iterator(from)) {
        if (entry.path().filename().string().starts_with("log.")) fs::copy_file(entry.path(), to / entry.path().filename());
    }
}

void Ground::wipe(std::size_t server) {
    keep_logs_of(server);
    fs::remove_all(cluster_.server(server).data_dir() / "version-2");
}

void Ground::keep_logs() {
    for (std::size_t server = 0; server < cluster_.size(); ++server) keep_logs_of(server);
}

} // namespace docent::chaos
