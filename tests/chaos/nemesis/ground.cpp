// SPDX-License-Identifier: Apache-2.0
#include "nemesis/ground.hpp"

#include "worker/resources.hpp"

namespace docent::chaos {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::FaultProxy;
using testing::Traffic;

Ground::Ground(const GroundOptions& options, Journal& journal)
    : options_(options), journal_(journal),
      cluster_({.properties = {{"reconfigEnabled", "false"}},
                .java_options = {"-Dzookeeper.preAllocSize=1024"},
                .leader_port = [this](std::size_t from, std::size_t to, std::uint16_t port) {
                    return (links_[{from, to}] = std::make_unique<FaultProxy>(port, Traffic::bytes))->port();
                }}) {
    observer_ = std::make_unique<Observer>(cluster_.connect_string(), journal_);
    for (const char* resource : resources) journal_.add(std::string("resource ") + resource);
    for (std::size_t place = 0; place < options_.clients; ++place) {
        for (std::size_t server = 0; server < cluster_.size(); ++server) ways_.emplace_back(cluster_.server(server).port());
    }
    workers_.resize(options_.clients);
    for (std::size_t place = 0; place < options_.clients; ++place) start_worker(place);
}

void Ground::start_worker(std::size_t place) {
    std::string connect;
    for (std::size_t server = 0; server < cluster_.size(); ++server) {
        connect += (server == 0 ? "" : ",") + way(place, server).connect_string();
    }
    ++started_;
    const std::string name = "w" + std::to_string(place) + '.' + std::to_string(started_);
    workers_.at(place) = nullptr; // the old one ends first
    workers_.at(place) =
        std::make_unique<WorkerProcess>(options_.program, WorkerTask{.name = name,
                                                                     .folder = options_.folder,
                                                                     .connect = connect,
                                                                     .seed = options_.seed * 1'000'003 + started_,
                                                                     .session_timeout = options_.session_timeout});
    journal_.add("starting " + name);
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
