// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "eventually.hpp"
#include "nemesis/nemesis.hpp"

#include <algorithm>
#include <atomic>
#include <iostream>
#include <stdexcept>
#include <thread>

#include <signal.h>
#include <stdlib.h>

namespace docent::chaos {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

constexpr auto longest_progress = 60s;
constexpr auto longest_pause = 60s;
constexpr auto longest_left = 30s;

std::atomic<bool> stopped = false; // by SIGINT or SIGTERM

extern "C" void on_signal(int) {
    stopped = true;
}

bool eventually(std::chrono::milliseconds longest, const auto& condition) {
    return test::eventually(condition, longest, 100ms);
}

fs::path folder_of(const Options& options) {
    if (!options.keep.empty()) {
        fs::create_directories(options.keep);
        if (!fs::is_empty(options.keep)) throw std::invalid_argument(options.keep.string() + " is not empty");
        return fs::absolute(options.keep);
    }
    std::string pattern = (fs::temp_directory_path() / "docent-chaos-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    return pattern;
}

/// One run: storms, and a calm after each. All workers must come to rest in each calm.
class Run {
public:
    Run(const Options& options, const std::string& program, const fs::path& folder)
        : folder_(folder), journal_(folder / "nemesis.history"), ground_({.program = program,
                                                                          .folder = folder,
                                                                          .clients = options.clients,
                                                                          .curators = options.curators,
                                                                          .seed = options.seed,
                                                                          .session_timeout = options.session_timeout,
                                                                          .tls = options.tls},
                                                                         journal_),
          nemesis_(ground_, journal_, options.seed, options.faults),
          storm_(std::chrono::duration_cast<std::chrono::milliseconds>(
              std::min<std::chrono::duration<double>>(25s, std::chrono::duration<double>(options.minutes * 60 / 3)))) {}

    void round() {
        nemesis_.storm(storm_, [] { return stopped.load(); });
        nemesis_.heal();
        // No client can detect that an ensemble is broken, so an administrator's work is done here.
        if (!await_progress() && mend_replicas(ground_, journal_)) {
            journal_.add("healed");
            await_progress();
        }
        journal_.add("progress");
        await_rest();
        journal_.add("rest");
        for (std::size_t place = 0; place < ground_.workers(); ++place) ground_.worker(place).say("go");
    }

    void end() {
        for (std::size_t place = 0; place < ground_.workers(); ++place) ground_.worker(place).end_input();
        for (std::size_t place = 0; place < ground_.workers(); ++place) {
            if (!ground_.worker(place).end(30s)) leave(ground_.worker(place).name() + " does not end well");
        }
        std::optional<std::int64_t> counter;
        eventually(longest_pause, [&] { return (counter = ground_.observer().counter()).has_value(); });
        if (!counter) throw std::runtime_error("nobody knows the counter");
        journal_.add("counter " + std::to_string(*counter));
        ground_.keep_logs();
    }

private:
    void leave(const std::string& what) { journal_.add("left " + what); }

    bool await_progress() {
        const Time healed = now();
        return eventually(longest_progress, [&] {
            live_.read(folder_);
            const History& history = live_.history();
            const auto goes_on = [&](const std::string& resource) {
                const auto grants = history.grants.find(resource);
                return grants != history.grants.end() && *grants->second.rbegin() > healed;
            };
            const auto has_owner = [&](const std::string& item) { return first_owned(history, item, healed).has_value(); };
            return stopped || (std::all_of(history.resources.begin(), history.resources.end(), goes_on) &&
                               std::all_of(history.items.begin(), history.items.end(), has_owner));
        });
    }

    /// Returns the workers that do not come to rest.
    std::vector<std::string> await_pause(Time asked) {
        std::vector<std::string> busy;
        eventually(longest_pause, [&] {
            live_.read(folder_);
            busy.clear();
            for (std::size_t place = 0; place < ground_.workers(); ++place) {
                const std::string& name = ground_.worker(place).name();
                const auto& idles = live_.history().idles;
                const bool rests = std::any_of(idles.rbegin(), idles.rend(),
                                               [&](const Idle& idle) { return idle.process == name && idle.time > asked; });
                if (!rests) busy.push_back(name);
            }
            return busy.empty();
        });
        return busy;
    }

    void await_rest() {
        const Time asked = now();
        for (std::size_t place = 0; place < ground_.workers(); ++place) ground_.worker(place).say("pause");
        std::vector<std::string> busy = await_pause(asked);
        if (!busy.empty() && mend_replicas(ground_, journal_)) busy = await_pause(asked);
        for (const std::string& name : busy) leave(name + " does not come to rest");
        for (std::size_t place = 0; place < ground_.workers(); ++place) {
            const std::string how = ground_.worker(place).crashed();
            if (!how.empty()) leave(ground_.worker(place).name() + ' ' + how);
        }
        std::vector<std::string> nodes;
        eventually(longest_left, [&] { return (nodes = ground_.observer().lock_nodes()).empty(); });
        for (const std::string& node : nodes) journal_.add((busy.empty() ? "left " : "waiting ") + node);
    }

    fs::path folder_;
    Journal journal_;
    Ground ground_;
    Nemesis nemesis_;
    std::chrono::milliseconds storm_;
    Reader live_;
};

/// Sets `is_clean` to true if there is no violation at all.
bool check(const fs::path& folder, bool& is_clean) {
    Reader reader;
    reader.read(folder);
    TransactionLogs logs;
    if (fs::exists(folder / "logs")) logs.add_folder(folder / "logs");
    History history = reader.history();
    complete(history, logs);
    const Violations violations = check_all(history, longest_progress);
    is_clean = violations.empty();
    print_figures(std::cout, history, logs);
    return print_violations(std::cout, violations, history, logs, folder);
}

} // namespace

bool run(const Options& options, const std::string& program) {
    ::signal(SIGINT, on_signal);
    ::signal(SIGTERM, on_signal);
    const fs::path folder = folder_of(options);
    std::cout << "seed " << options.seed << ", " << options.minutes << " min, " << options.clients << " clients"
              << (options.tls ? " with TLS" : "") << ", histories in " << folder.string() << std::endl;
    {
        Run run(options, program, folder);
        const auto end = steady_clock::now() + std::chrono::duration<double>(options.minutes * 60);
        do run.round();
        while (steady_clock::now() < end && !stopped);
        run.end();
    }
    bool is_clean = false;
    const bool good = check(folder, is_clean);
    if (is_clean && options.keep.empty()) fs::remove_all(folder);
    else std::cout << "histories: " << folder.string() << std::endl;
    return good;
}

bool check(const fs::path& folder) {
    bool is_clean = false;
    return check(folder, is_clean);
}

} // namespace docent::chaos
