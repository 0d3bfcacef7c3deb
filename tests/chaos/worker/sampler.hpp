// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "history/journal.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace docent::chaos {

/// Asks every few milliseconds whether a work still owns its lock, and records the time from *before* it asked. The lock was
/// owned at that time for certain, because certainty that has ended does not return.
class Sampler {
public:
    explicit Sampler(Journal& journal);
    ~Sampler();

    /// A question that is asked while this object lives.
    class Watch {
    public:
        enum class Asked { always, by_its_owner };
        /// `by_its_owner`: only still_owns() asks, because only one thread can tell.
        Watch(Sampler& sampler, std::int64_t work, std::function<bool()> owns, Asked asked = Asked::always);
        ~Watch();
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
        /// Asks now. After the first "no", it returns false without asking again.
        bool still_owns();

    private:
        friend class Sampler;
        bool ask();

        Sampler& sampler_;
        std::int64_t work_;
        std::function<bool()> owns_;
        bool said_yes_ = false;
        bool said_no_ = false;
    };

private:
    void run(const std::stop_token& stop);

    Journal& journal_;
    std::mutex mutex_;
    std::list<Watch*> watches_;
    std::jthread thread_;
};

} // namespace docent::chaos
