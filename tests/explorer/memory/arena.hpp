// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory that can be restored with all objects in it. So a search can return to an earlier state without repeating its path.

#include <cstddef>
#include <vector>

namespace docent::explorer::arena {

/// False with sanitizers, which have their own allocators.
bool is_available();

/// While it lives, all allocations lie in the arena (`inside`): an object and everything that belongs to it. In a nested scope
/// with `outside`, they lie on the usual heap again. Such a scope must end before the arena is restored.
class Scope {
public:
    enum class Allocations { inside, outside };

    explicit Scope(Allocations allocations);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

private:
    const bool before_;
};

using Saved = std::vector<unsigned char>;

void save(Saved& saved);
/// After this, nothing may use memory that was allocated in the arena since save(), not even a destructor.
void restore(const Saved& saved);

} // namespace docent::explorer::arena
