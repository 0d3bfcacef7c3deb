// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/bell.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace docent::session {

/// What a lookup of one name has found: numeric addresses, or why there are none.
struct NameAnswer {
    std::vector<std::string> addresses;
    std::string fault; // empty after a success
    friend bool operator==(const NameAnswer&, const NameAnswer&) = default;
};

/// Looks one name up and blocks until DNS has answered, or has not answered in its own time. Called on several threads at once.
using LookUp = std::function<NameAnswer(const std::string& name)>;

/// getaddrinfo().
NameAnswer look_up_by_system(const std::string& name);

/// Lookups of names, each on a thread of its own, which nobody waits for: getaddrinfo() cannot be cancelled, and takes 10 s and
/// more when DNS is silent. Such a thread has nothing of the client that asked, so that a client, and the whole program, can
/// end while it runs. A name that is being looked up already is not looked up a second time. From any thread.
class Lookups : public std::enable_shared_from_this<Lookups> {
public:
    /// One lookup that is under way, or done.
    class Lookup {
    public:
        using Time = std::chrono::steady_clock::time_point;
        explicit Lookup(Time started) : started_(started) {}

        Time started() const { return started_; }
        /// Whether it is done; then the answer is in `answer`.
        bool poll(NameAnswer& answer) const;
        /// Rings `bell` when it is done, also if that was before.
        void tell(const std::shared_ptr<posix::Bell>& bell);

    private:
        friend class Lookups;
        void finish(NameAnswer answer);

        const Time started_;
        mutable std::mutex mutex_;
        bool done_ = false;
        NameAnswer answer_;
        std::vector<std::weak_ptr<posix::Bell>> bells_;
    };

    /// Names that are looked up at the same time, at most.
    static constexpr std::size_t most_at_once = 64;

    explicit Lookups(LookUp look_up) : look_up_(std::move(look_up)) {}
    Lookups(const Lookups&) = delete;
    Lookups& operator=(const Lookups&) = delete;

    /// Those of this process, by look_up_by_system(). A child process has its own: the threads of its parent are not there.
    static std::shared_ptr<Lookups> of_process();

    /// The lookup of this name that is under way, or a new one. One that cannot begin has failed when it is returned.
    std::shared_ptr<Lookup> begin(const std::string& name, Lookup::Time now);

private:
    void start_thread(const std::string& name, const std::shared_ptr<Lookup>& lookup);

    const LookUp look_up_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Lookup>> under_way_;
};

} // namespace docent::session
