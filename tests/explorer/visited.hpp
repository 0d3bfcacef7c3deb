// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace docent::explorer {

/// The fingerprints of the states that were visited, in a table of fixed size that processes share. Each entry has the number
/// of steps to the state, so that a search can find shorter paths.
class Visited {
public:
    explicit Visited(std::size_t slots) : slots_(slots) {
        void* const memory =
            ::mmap(nullptr, slots * sizeof(Slot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        table_ = static_cast<Slot*>(memory);
    }
    ~Visited() { ::munmap(table_, slots_ * sizeof(Slot)); }
    Visited(const Visited&) = delete;
    Visited& operator=(const Visited&) = delete;

    /// `shorter`: the state was visited, but with more steps. `full`: no entry is free.
    enum class Answer { fresh, shorter, seen, full };

    /// `steps`: at least 1.
    Answer insert(std::uint64_t fingerprint, std::size_t steps) {
        if (fingerprint == 0) fingerprint = 1;
        const auto length = static_cast<std::uint32_t>(steps);
        for (std::size_t n = 0; n < slots_; ++n) {
            Slot& slot = table_[(fingerprint + n) % slots_];
            std::uint64_t there = 0;
            if (slot.fingerprint.compare_exchange_strong(there, fingerprint)) {
                slot.steps = length;
                return Answer::fresh;
            }
            if (there != fingerprint) continue;
            const auto before = slot.steps.load();
            if (before == 0 || length >= before) return Answer::seen; // 0: another process is about to write its steps
            slot.steps = length;
            return Answer::shorter;
        }
        return Answer::full;
    }

    bool contains(std::uint64_t fingerprint) const {
        if (fingerprint == 0) fingerprint = 1;
        for (std::size_t n = 0; n < slots_; ++n) {
            const auto there = table_[(fingerprint + n) % slots_].fingerprint.load();
            if (there == fingerprint || there == 0) return there != 0;
        }
        return false;
    }

private:
    struct Slot {
        std::atomic<std::uint64_t> fingerprint; // 0: free
        std::atomic<std::uint32_t> steps;
    };

    std::size_t slots_;
    Slot* table_;
};

} // namespace docent::explorer
