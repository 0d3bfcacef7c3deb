// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory that can be put back as it was, with all objects in it: the way back to a state that was seen before, without going
// there again from the beginning.

#include <cstddef>
#include <vector>

namespace docent::explorer::arena {

/// Not with sanitizers, which have an allocator of their own.
bool is_available();

/// As long as one of these lives, all that is allocated lies in the arena: an object and all that belongs to it.
class Scope {
public:
    Scope();
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

private:
    const bool before_;
};

/// As long as one of these lives, what is allocated lies elsewhere again. It must be gone before anything is put back.
class Outside {
public:
    Outside();
    ~Outside();
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

private:
    const bool before_;
};

using Saved = std::vector<unsigned char>;

void save(Saved& saved);
/// Nothing that was allocated there since then is touched any more, not even by a destructor.
void restore(const Saved& saved);

} // namespace docent::explorer::arena
