# SPDX-License-Identifier: Apache-2.0
# Fails unless each row of DOCUMENT's tables says "works", "works differently", or "left out" with a reason, and unless each
# recipe of Curator's jar has a row. The heading of a table ends with "Result".
cmake_minimum_required(VERSION 3.25)
file(STRINGS "${DOCUMENT}" lines ENCODING UTF-8)
set(wrong "")
set(section "")
set(rows "")
foreach(line IN LISTS lines)
    if(line MATCHES "^## (.*)")
        set(section "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^\\| " AND NOT line MATCHES "\\| Result \\|$")
        string(APPEND rows "${line}")
        if(NOT line MATCHES "\\*\\*(works|works differently)\\*\\*|\\*\\*left out\\*\\*: .")
            string(APPEND wrong "\n  in ${section}: ${line}")
        endif()
    endif()
endforeach()
if(wrong)
    message(FATAL_ERROR "${DOCUMENT}: rows that do not say what works, what works differently, or why not:${wrong}")
endif()
foreach(recipe AfterConnectionEstablished CachedAtomicInteger CachedAtomicLong DistributedAtomicInteger DistributedAtomicLong
        DistributedAtomicValue PromotedToLock DistributedBarrier DistributedDoubleBarrier CuratorCache NodeCache
        PathChildrenCache TreeCache TreeCacheSelector CuratorCacheBridge LeaderLatch LeaderSelector CancelLeadershipException
        InterProcessMultiLock InterProcessMutex InterProcessReadWriteLock InterProcessSemaphore InterProcessSemaphoreMutex
        InterProcessSemaphoreV2 LockInternalsDriver Locker makeRevocable Revoker GroupMember PersistentEphemeralNode
        PersistentNode PersistentTtlNode DistributedDelayQueue DistributedIdQueue DistributedPriorityQueue DistributedQueue
        QueueSharder SimpleDistributedQueue SharedCount SharedValue PersistentWatcher ServiceDiscovery)
    if(NOT rows MATCHES "`${recipe}[`.(]")
        message(FATAL_ERROR "${DOCUMENT}: no row is about ${recipe}")
    endif()
endforeach()
