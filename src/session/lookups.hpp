// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/event_fd.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace docent::session {

/// The result of looking up one name: numeric addresses, or the reason why there are none.
struct NameAnswer {
    std::vector<std::string> addresses;
    std::string fault; // empty after a success
    friend bool operator==(const NameAnswer&, const NameAnswer&) = default;
};

/// Looks up one name. Blocks until DNS answers or the resolver's own timeout is over. May be called on several threads at once.
using LookUp = std::function<NameAnswer(const std::string& name)>;

/// getaddrinfo().
NameAnswer look_up_by_system(const std::string& name);

/// Looks up names, each on a detached thread: getaddrinfo() cannot be cancelled, and takes 10 s and more if DNS is silent.
/// The thread has no reference to the client, so the client and the program can end while it runs. A name has one lookup at a
/// time. Members may be called from any thread.
class Lookups : public std::enable_shared_from_this<Lookups> {
public:
    /// One lookup, running or done.
    class Lookup {
    public:
        using Time = std::chrono::steady_clock::time_point;
        explicit Lookup(Time started) : started_(started) {}

        Time started() const { return started_; }
        /// Returns whether the lookup is done, and then sets `answer`.
        bool poll(NameAnswer& answer) const;
        /// Raises `event` when the lookup is done; at once if it is done already.
        void tell(const std::shared_ptr<posix::EventFd>& event);

    private:
        friend class Lookups;
        void finish(NameAnswer answer);

        const Time started_;
        mutable std::mutex mutex_;
        bool done_ = false;
        NameAnswer answer_;
        std::vector<std::weak_ptr<posix::EventFd>> events_;
    };

    /// The largest number of lookups at a time.
    static constexpr std::size_t most_at_once = 64;

    explicit Lookups(LookUp look_up) : look_up_(std::move(look_up)) {}
    Lookups(const Lookups&) = delete;
    Lookups& operator=(const Lookups&) = delete;

    /// The lookups of this process, by look_up_by_system(). A child process has its own, because it has no thread of its
    /// parent.
    static std::shared_ptr<Lookups> of_process();

    /// Returns the running lookup of this name, or begins one. The lookup returned has failed already if `most_at_once` other
    /// names are being looked up, or if no thread can be started.
    std::shared_ptr<Lookup> begin(const std::string& name, Lookup::Time now);

private:
    void start_thread(const std::string& name, const std::shared_ptr<Lookup>& lookup);

    const LookUp look_up_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Lookup>> under_way_;
};

} // namespace docent::session
