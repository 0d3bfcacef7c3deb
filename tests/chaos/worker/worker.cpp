// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.hpp"

#include "limits.hpp"
#include "worker/partition_member.hpp"
#include "worker/works.hpp"

#include <condition_variable>
#include <fstream>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

#include <unistd.h>

namespace docent::chaos {
namespace {

constexpr std::size_t lanes = 3;

std::int64_t memory() { // KiB
    std::ifstream in("/proc/self/statm");
    std::int64_t size = 0;
    std::int64_t resident = 0;
    in >> size >> resident;
    return resident * ::sysconf(_SC_PAGESIZE) / 1024;
}

/// The threads of the lanes. All of them pause together.
class Lanes {
public:
    explicit Lanes(WorkerContext& context) : context_(context) {
        for (std::size_t i = 0; i < lanes; ++i) {
            threads_.emplace_back(
                [this, seed = context.task.seed * lanes + i](const std::stop_token& stop) { run(stop, seed); });
        }
    }
    ~Lanes() {
        for (std::jthread& thread : threads_) thread.request_stop();
        context_.pausing = true; // holders release their locks soon
    }
    void pause() {
        context_.pausing = true;
        std::unique_lock lock(mutex_);
        if (paused_ == lanes) report();
    }
    void go() {
        {
            const std::lock_guard lock(mutex_);
            context_.pausing = false;
        }
        changed_.notify_all();
    }

private:
    void run(const std::stop_token& stop, std::uint64_t seed) {
        Lane lane(context_, seed);
        while (!stop.stop_requested()) {
            if (context_.pausing) wait(stop);
            else lane.do_one();
        }
    }
    void wait(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        if (!context_.pausing) return;
        if (++paused_ == lanes) report();
        changed_.wait(lock, stop, [&] { return !context_.pausing; });
        --paused_;
    }
    void report() { context_.journal.add("idle " + std::to_string(memory()) + ' ' + std::to_string(test::open_descriptors())); }

    WorkerContext& context_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::size_t paused_ = 0;
    std::vector<std::jthread> threads_;
};

ClientConfig config_of(const WorkerTask& task) {
    ClientConfig config{
        .connect_string = task.connect, .session_timeout = task.session_timeout, .ensemble_tracking = EnsembleTracking::off};
    const auto folder = task.folder / certificates;
    if (task.connect.starts_with("tls://"))
        config.tls = TlsConfig{.ca_file = folder / "ca.pem", .certificate_file = folder / "client.pem"};
    return config;
}

} // namespace

int run_worker(const WorkerTask& task) {
    Journal journal(task.folder / (task.name + ".history"));
    journal.add("start " + std::to_string(::getpid()));
    Client client(config_of(task));
    const Subscription listening = client.listen([&journal](const SessionEvent& event) {
        journal.add("session " + std::to_string(event.epoch) + ' ' + std::to_string(event.session_id) + ' ' +
                    std::string(to_string(event.state)) + ' ' + (event.reason ? event.reason.message() : ""));
    });
    client.start();
    {
        Sampler sampler(journal);
        WorkerContext context{task, client, lock_options_of(task), journal, sampler};
        const KeptLocks kept(client, context.lock_options);
        Lanes all(context);
        PartitionMember member(context);
        member.join();
        for (std::string word; std::getline(std::cin, word);) {
            if (word == "pause") {
                member.leave();
                all.pause();
            } else if (word == "go") {
                all.go();
                member.join();
            } else if (word == "renew") {
                journal.add("renew");
                client.renew_session();
            }
        }
    }
    client.close();
    journal.add("end");
    return EXIT_SUCCESS;
}

} // namespace docent::chaos
