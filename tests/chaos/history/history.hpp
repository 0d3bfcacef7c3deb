// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::chaos {

using Time = std::int64_t; // nanoseconds, see now()

/// One work of a process: it acquires a lock or an item, holds it and releases it (worker/works.hpp).
struct Work {
    std::string process;
    std::int64_t number = 0;
    auto operator<=>(const Work&) const = default;
};

/// The number of holders that are allowed at once: one, any number of shared ones, or `limit`.
struct Mode {
    enum class Kind { exclusive, shared, permit } kind = Kind::exclusive;
    std::size_t limit = 1; // of permits
    /// `exclusive`, `shared`, `permit:3`. Throws std::invalid_argument.
    static Mode parse(std::string_view text);
};

enum class End { open, released, lost };

/// A lock that was granted to a work.
struct Hold {
    Work work;
    std::string resource;
    Mode mode;
    std::int64_t token = 0;  // 0: unknown to the process
    std::string node;        // empty: unknown to the process
    std::int64_t number = 0; // counts the holds that share the node; 0: unknown to the process
    Time granted = 0;
    Time revocable = 0; // since when it listens for revocation requests; 0: it does not
    bool asked_for = false;
    Time first_yes = 0; // 0: owns() was never true
    Time last_yes = 0;
    Time ended = 0;
    End end = End::open;
    Time node_gone = 0;      // by the servers' logs; 0: not known
    bool by_curator = false; // Curator's holders may believe in a lost lock
    Time believed = 0;       // the last yes of a Curator holder after its node was gone; 0: there is none
};

enum class Outcome { unknown, committed, refused };

/// A transaction that sets the counter to `value`.
struct Commit {
    Work work;
    Time begun = 0;
    std::int64_t value = 0;
    Outcome outcome = Outcome::unknown;
    std::int64_t zxid = 0; // of the commit
};

/// The answer of a store outside of ZooKeeper to a write.
struct StoreWrite {
    Work work;
    std::string store;
    std::int64_t value = 0;
    bool accepted = false;
};

/// A process at rest.
struct Idle {
    std::string process;
    Time time = 0;
    std::int64_t memory = 0; // KiB
    std::int64_t descriptors = 0;
};

/// A request to a holder to give up its lock.
struct Revocation {
    Time time = 0;
    std::string node;
};

/// Acknowledged writes that the ensemble has lost.
struct SetBack {
    Time time = 0;
    std::int64_t first_lost = 0; // zxids
    std::int64_t last_lost = 0;
    std::int64_t next = 0; // zxid of the first write after the loss
};

/// The content of all histories.
struct History {
    std::vector<Hold> holds;
    std::vector<Commit> commits;
    std::vector<StoreWrite> store_writes;
    std::vector<Idle> idles;
    std::vector<Revocation> revocations;
    std::vector<SetBack> set_backs;
    std::vector<std::string> left;                  // nodes that remained when none should
    std::vector<std::string> waiting;               // the same, while a process was still busy
    std::map<Time, std::string> corrupt;            // faults of the ensemble that were found
    std::vector<Time> healed;                       // all faults had ended
    std::vector<Time> stricken;                     // faults began again
    std::map<std::string, std::size_t> faults;      // by kind
    std::map<std::string, std::size_t> events;      // by kind
    std::map<std::string, std::size_t> failures;    // of acquires, by text
    std::map<std::string, std::set<Time>> grants;   // by resource
    std::map<std::string, std::set<Time>> renewals; // by process: it ended its session
    std::map<std::string, Time> deleted;            // when an administrator began to delete the node, or to end its session
    std::map<std::int64_t, Time> closed_sessions;   // ended by an administrator, not before this time
    std::vector<Time> strikes;                      // times of all faults
    std::map<Time, Time> wall;                      // by wall clock: its lead over CLOCK_BOOTTIME
    Time session_timeout = 0;                       // T; 0: unknown
    std::set<std::string> resources;                // progress is checked in each
    std::set<std::string> items;                    // of the partition
    std::set<std::string> curators;                 // processes
    std::vector<std::string> broken;                // broken promises that a process has seen
    std::vector<std::string> unreadable;
    std::optional<std::int64_t> counter; // its last value; nothing: unknown
    Time end = 0;                        // of the last event
};

/// The end of the calm that began with this healing: the next storm, or the end of the run.
Time calm_until(const History& history, Time healed);

/// Returns the first time from `since` on at which a process owned this resource; nothing if none has until the end.
std::optional<Time> first_owned(const History& history, const std::string& resource, Time since);

/// Reads histories, also while they are written.
class Reader {
public:
    /// Reads the lines that were added since the last call, in all `*.history` of the folder.
    void read(const std::filesystem::path& folder);
    /// Reads one line of this process.
    void line(const std::string& process, std::string_view text);
    const History& history() const { return history_; }

private:
    struct Place {
        std::uintmax_t offset = 0;
        std::string rest; // of a line that is not complete
    };
    void work_event(const std::string& process, Time time, const std::vector<std::string>& words);
    void other_event(const std::string& process, Time time, const std::vector<std::string>& words);

    History history_;
    std::map<std::filesystem::path, Place> places_;
    std::map<Work, std::vector<std::size_t>> holds_; // in history_.holds
    std::map<Work, std::size_t> commits_;            // the last one, in history_.commits
};

} // namespace docent::chaos
