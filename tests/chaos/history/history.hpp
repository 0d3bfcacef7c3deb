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

/// Which work of which process.
struct Work {
    std::string process;
    std::int64_t number = 0;
    auto operator<=>(const Work&) const = default;
};

/// How many may hold at once: one, all who share, or so many.
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
    std::int64_t token = 0;  // 0: the process does not know
    std::string node;        // empty: the process does not know
    std::int64_t number = 0; // which of the holds that share the node; 0: the process does not know
    Time granted = 0;
    Time revocable = 0; // since when it hears that somebody asks for it; 0: it does not
    bool asked_for = false;
    Time first_yes = 0; // 0: owns() never said yes
    Time last_yes = 0;
    Time ended = 0;
    End end = End::open;
    Time node_gone = 0;      // by the servers' logs; 0: they do not say
    bool by_curator = false; // whose holders believe longer than docent's
    Time believed = 0;       // if its holder did not know that its node was gone: its last yes; the others end with the node
};

enum class Outcome { unknown, committed, refused };

/// A transaction that was to set the counter to `value`.
struct Commit {
    Work work;
    Time begun = 0;
    std::int64_t value = 0;
    std::int64_t read_zxid = 0; // mzxid of the counter as it was read
    Outcome outcome = Outcome::unknown;
    std::int64_t zxid = 0; // of the commit
};

/// What a store outside said to a write.
struct StoreWrite {
    Work work;
    std::string store;
    std::int64_t value = 0;
    bool accepted = false;
};

/// A process with nothing to do.
struct Idle {
    std::string process;
    Time time = 0;
    std::int64_t memory = 0; // KiB
    std::int64_t descriptors = 0;
};

/// Somebody has asked a holder to give up.
struct Revocation {
    Time time = 0;
    std::string node;
};

/// Acknowledged writes that the ensemble does not know any more.
struct SetBack {
    Time time = 0;
    std::int64_t first_lost = 0; // zxids
    std::int64_t last_lost = 0;
    std::int64_t next = 0; // of the state that does not know them
};

/// What all histories say together.
struct History {
    std::vector<Hold> holds;
    std::vector<Commit> commits;
    std::vector<StoreWrite> store_writes;
    std::vector<Idle> idles;
    std::vector<Revocation> revocations;
    std::vector<SetBack> set_backs;
    std::vector<std::string> left;                  // nodes that were there when there should be none
    std::vector<std::string> waiting;               // the same while somebody still waits
    std::map<Time, std::string> corrupt;            // what the ensemble was found to have done wrong
    std::vector<Time> healed;                       // when all faults had ended
    std::vector<Time> stricken;                     // when faults began again
    std::map<std::string, std::size_t> faults;      // by kind
    std::map<std::string, std::size_t> events;      // by kind
    std::map<std::string, std::size_t> failures;    // of acquires, by text
    std::map<std::string, std::set<Time>> grants;   // by resource
    std::map<std::string, std::set<Time>> renewals; // by process: it ended its session itself
    std::set<std::string> deleted;                  // nodes that an administrator deleted, or ended the session of
    std::map<std::int64_t, Time> closed_sessions;   // by an administrator, at the earliest then
    std::vector<Time> strikes;                      // of all faults
    std::map<Time, Time> wall;                      // what the clock on the wall is ahead, by that clock
    Time session_timeout = 0;                       // T; 0: nobody said
    std::set<std::string> resources;                // in which progress is to be seen
    std::set<std::string> curators;                 // processes
    std::vector<std::string> broken;                // what a process has seen itself that must not be
    std::vector<std::string> unreadable;
    std::optional<std::int64_t> counter; // what it was in the end; nothing: nobody looked
    Time end = 0;                        // of the last event
};

/// Reads histories, also while they are written.
class Reader {
public:
    /// What came since the last call, in all `*.history` of the folder.
    void read(const std::filesystem::path& folder);
    /// One line of that process.
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
