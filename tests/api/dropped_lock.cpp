// SPDX-License-Identifier: Apache-2.0

// Statements that acquire a lock and drop it at once, which the compiler must warn of. See refused.sh.

#include <docent/docent.hpp>

#include <tuple>

void use(docent::InterProcessMutex& mutex, docent::InterProcessMultiLock& both, docent::InterProcessSemaphore& seats) {
#if defined(MUTEX)
    mutex.acquire();
#elif defined(MULTI_LOCK)
    both.acquire();
#elif defined(TRY)
    mutex.try_acquire();
#elif defined(PERMITS)
    seats.acquire(2);
#endif
    const docent::Lease lease = mutex.acquire();
    const docent::MultiLease all = both.acquire();
    std::ignore = seats.acquire(2);
}
