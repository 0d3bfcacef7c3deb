// SPDX-License-Identifier: Apache-2.0

// Every operation of `On<Object>`, whose default token is Default, in its three forms, each with CallOptions and without. The
// including file defines both names.

// ---- Client
DOCENT_BLOCKS(Client, wait_connected, void);
DOCENT_ASYNC(Client, async_wait_connected, (Default));
DOCENT_BLOCKS_SHORTLY(Client, create, Created, Path);
DOCENT_BLOCKS_SHORTLY(Client, create, Created, Path, Text);
DOCENT_BLOCKS(Client, create, Created, Path, Text, CreateOptions);
DOCENT_BLOCKS(Client, create, Created, Path, CreateOptions);
DOCENT_BLOCKS(Client, create, Created, Path, Text, CreateMode);
DOCENT_ASYNC_SHORTLY(Client, async_create, (Default, Created), Path);
DOCENT_ASYNC_SHORTLY(Client, async_create, (Default, Created), Path, CreateOptions);
DOCENT_ASYNC_SHORTLY(Client, async_create, (Default, Created), Path, Text, CreateMode);
DOCENT_ASYNC_SHORTLY(Client, async_create, (Default, Created), Path, Text);
DOCENT_ASYNC(Client, async_create, (Default, Created), Path, Text, CreateOptions);
DOCENT_BLOCKS_SHORTLY(Client, get, NodeData, Path);
DOCENT_BLOCKS(Client, get, NodeData, Path, GetOptions);
DOCENT_ASYNC_SHORTLY(Client, async_get, (Default, NodeData), Path);
DOCENT_ASYNC(Client, async_get, (Default, NodeData), Path, GetOptions);
DOCENT_BLOCKS_SHORTLY(Client, get_watched, Watched<NodeData>, Path);
DOCENT_BLOCKS(Client, get_watched, Watched<NodeData>, Path, GetOptions);
DOCENT_ASYNC_SHORTLY(Client, async_get_watched, (Default, Watched<NodeData>), Path);
DOCENT_ASYNC(Client, async_get_watched, (Default, Watched<NodeData>), Path, GetOptions);
DOCENT_BLOCKS_SHORTLY(Client, set, Stat, Path, Text);
DOCENT_BLOCKS(Client, set, Stat, Path, Text, SetOptions);
DOCENT_BLOCKS(Client, set, Stat, Path, Text, std::int32_t);
DOCENT_ASYNC_SHORTLY(Client, async_set, (Default, Stat), Path, Text);
DOCENT_ASYNC_SHORTLY(Client, async_set, (Default, Stat), Path, Text, std::int32_t);
DOCENT_ASYNC(Client, async_set, (Default, Stat), Path, Text, SetOptions);
DOCENT_BLOCKS_SHORTLY(Client, remove, void, Path);
DOCENT_BLOCKS(Client, remove, void, Path, RemoveOptions);
DOCENT_ASYNC_SHORTLY(Client, async_remove, (Default), Path);
DOCENT_ASYNC(Client, async_remove, (Default), Path, RemoveOptions);
DOCENT_BLOCKS(Client, exists, Found, Path);
DOCENT_ASYNC(Client, async_exists, (Default, Found), Path);
DOCENT_BLOCKS(Client, exists_watched, Watched<Found>, Path);
DOCENT_ASYNC(Client, async_exists_watched, (Default, Watched<Found>), Path);
DOCENT_BLOCKS(Client, children, Children, Path);
DOCENT_ASYNC(Client, async_children, (Default, Children), Path);
DOCENT_BLOCKS(Client, children_watched, Watched<Children>, Path);
DOCENT_ASYNC(Client, async_children_watched, (Default, Watched<Children>), Path);
DOCENT_BLOCKS(Client, get_acl, NodeAcl, Path);
DOCENT_ASYNC(Client, async_get_acl, (Default, NodeAcl), Path);
DOCENT_BLOCKS_SHORTLY(Client, set_acl, Stat, Path, Acl);
DOCENT_BLOCKS(Client, set_acl, Stat, Path, Acl, std::int32_t);
DOCENT_ASYNC_SHORTLY(Client, async_set_acl, (Default, Stat), Path, Acl);
DOCENT_ASYNC(Client, async_set_acl, (Default, Stat), Path, Acl, std::int32_t);
DOCENT_BLOCKS(Client, ensemble_config, NodeData);
DOCENT_ASYNC(Client, async_ensemble_config, (Default, NodeData));
DOCENT_BLOCKS(Client, ensemble_config_watched, Watched<NodeData>);
DOCENT_ASYNC(Client, async_ensemble_config_watched, (Default, Watched<NodeData>));
DOCENT_BLOCKS(Client, reconfigure, NodeData, Reconfiguration);
DOCENT_ASYNC(Client, async_reconfigure, (Default, NodeData), Reconfiguration);
DOCENT_BLOCKS_SHORTLY(Client, sync, void);
DOCENT_BLOCKS(Client, sync, void, Path);
DOCENT_ASYNC_SHORTLY(Client, async_sync, (Default));
DOCENT_ASYNC(Client, async_sync, (Default), Path);
DOCENT_BLOCKS(Client, commit, TransactionResult, Transaction);
DOCENT_ASYNC(Client, async_commit, (Default, TransactionResult), Transaction);
DOCENT_ASYNC_SHORTLY(Client, async_close, (Default));

// ---- watches and session events
DOCENT_BLOCKS(Watch, wait, WatchEvent);
DOCENT_ASYNC(Watch, async_wait, (Default, WatchEvent));
DOCENT_BLOCKS(SessionEvents, next, SessionEvent);
DOCENT_ASYNC(SessionEvents, async_next, (Default, SessionEvent));

// ---- locks
DOCENT_BLOCKS(InterProcessMutex, acquire, Lease);
DOCENT_ASYNC(InterProcessMutex, async_acquire, (Default, Lease));
DOCENT_BLOCKS(InterProcessMutex, try_acquire, std::optional<Lease>);
DOCENT_ASYNC(InterProcessMutex, async_try_acquire, (Default, Lease));
DOCENT_BLOCKS(InterProcessMutex, try_acquire_for, std::optional<Lease>, Hours);
DOCENT_ASYNC(InterProcessMutex, async_try_acquire_for, (Default, Lease), Hours);
static_assert(std::same_as<decltype(some<On<InterProcessReadWriteLock>&>().read_lock()), On<InterProcessMutex>&>);
static_assert(std::same_as<decltype(some<On<InterProcessReadWriteLock>&>().write_lock()), On<InterProcessMutex>&>);
DOCENT_BLOCKS(InterProcessSemaphoreMutex, acquire, Lease);
DOCENT_ASYNC(InterProcessSemaphoreMutex, async_acquire, (Default, Lease));
DOCENT_BLOCKS(InterProcessSemaphoreMutex, try_acquire, std::optional<Lease>);
DOCENT_ASYNC(InterProcessSemaphoreMutex, async_try_acquire, (Default, Lease));
DOCENT_BLOCKS(InterProcessSemaphoreMutex, try_acquire_for, std::optional<Lease>, Hours);
DOCENT_ASYNC(InterProcessSemaphoreMutex, async_try_acquire_for, (Default, Lease), Hours);
DOCENT_BLOCKS(InterProcessSemaphore, acquire, Lease);
DOCENT_ASYNC(InterProcessSemaphore, async_acquire, (Default, Lease));
DOCENT_BLOCKS(InterProcessSemaphore, try_acquire, std::optional<Lease>);
DOCENT_ASYNC(InterProcessSemaphore, async_try_acquire, (Default, Lease));
DOCENT_BLOCKS(InterProcessSemaphore, try_acquire_for, std::optional<Lease>, Hours);
DOCENT_ASYNC(InterProcessSemaphore, async_try_acquire_for, (Default, Lease), Hours);
DOCENT_BLOCKS(InterProcessSemaphore, acquire, Permits, std::int32_t);
DOCENT_ASYNC(InterProcessSemaphore, async_acquire, (Default, Permits), std::int32_t);
DOCENT_BLOCKS(InterProcessSemaphore, try_acquire, std::optional<Permits>, std::int32_t);
DOCENT_ASYNC(InterProcessSemaphore, async_try_acquire, (Default, Permits), std::int32_t);
DOCENT_BLOCKS(InterProcessSemaphore, try_acquire_for, std::optional<Permits>, std::int32_t, Hours);
DOCENT_ASYNC(InterProcessSemaphore, async_try_acquire_for, (Default, Permits), std::int32_t, Hours);
DOCENT_BLOCKS(InterProcessSemaphore, usage, PermitUsage);
DOCENT_ASYNC(InterProcessSemaphore, async_usage, (Default, PermitUsage));
DOCENT_BLOCKS(InterProcessMultiLock, acquire, MultiLease);
DOCENT_ASYNC(InterProcessMultiLock, async_acquire, (Default, MultiLease));
DOCENT_BLOCKS(InterProcessMultiLock, try_acquire, std::optional<MultiLease>);
DOCENT_ASYNC(InterProcessMultiLock, async_try_acquire, (Default, MultiLease));
DOCENT_BLOCKS(InterProcessMultiLock, try_acquire_for, std::optional<MultiLease>, Hours);
DOCENT_ASYNC(InterProcessMultiLock, async_try_acquire_for, (Default, MultiLease), Hours);
DOCENT_TAKES_LIMITS(InterProcessMutex, (Default, Lease), Lease);
DOCENT_TAKES_LIMITS(InterProcessSemaphoreMutex, (Default, Lease), Lease);
DOCENT_TAKES_LIMITS(InterProcessSemaphore, (Default, Lease), Lease);
DOCENT_TAKES_LIMITS(InterProcessSemaphore, (Default, Permits), Permits, std::int32_t);
DOCENT_TAKES_LIMITS(InterProcessMultiLock, (Default, MultiLease), MultiLease);

// ---- leases
DOCENT_BLOCKS(Lease, release, void);
DOCENT_ASYNC(Lease, async_release, (Default));
DOCENT_BLOCKS(Lease, wait_lost, void);
DOCENT_ASYNC(Lease, async_wait_lost, (Default));
DOCENT_BLOCKS(Lease, downgrade, Lease);
DOCENT_ASYNC(Lease, async_downgrade, (Default, Lease));
DOCENT_ANSWERS(Lease, extend, void, Hours);
DOCENT_BLOCKS(MultiLease, release, void);
DOCENT_ASYNC(MultiLease, async_release, (Default));

// ---- elections
using Everybody = std::vector<Participant>;
DOCENT_BLOCKS(LeaderLatch, await_leadership, Leadership);
DOCENT_ASYNC(LeaderLatch, async_await_leadership, (Default, Leadership));
DOCENT_BLOCKS(LeaderLatch, resign, void);
DOCENT_ASYNC(LeaderLatch, async_resign, (Default));
DOCENT_BLOCKS(LeaderLatch, close, void, LatchClose);
DOCENT_ASYNC(LeaderLatch, async_close, (Default), LatchClose);
DOCENT_BLOCKS(LeaderLatch, participants, Everybody);
DOCENT_ASYNC(LeaderLatch, async_participants, (Default, Everybody));
DOCENT_BLOCKS(LeaderLatch, leader, std::optional<Participant>);
DOCENT_ASYNC(LeaderLatch, async_leader, (Default, std::optional<Participant>));

// ---- jobs
DOCENT_BLOCKS(OncePerPeriod, begin, JobStart, const Lease&);
DOCENT_ASYNC(OncePerPeriod, async_begin, (Default, JobStart), const Lease&);
DOCENT_BLOCKS(OncePerPeriod, complete, void, const Lease&, JobStart);
DOCENT_ASYNC(OncePerPeriod, async_complete, (Default), const Lease&, JobStart);

// ---- shared values
DOCENT_BLOCKS(SharedValue, start, void);
DOCENT_ASYNC(SharedValue, async_start, (Default));
DOCENT_BLOCKS(SharedValue, set, VersionedValue, Text);
DOCENT_ASYNC(SharedValue, async_set, (Default, VersionedValue), Text);
DOCENT_BLOCKS(SharedValue, try_set, bool, VersionedValue, Text);
DOCENT_ASYNC(SharedValue, async_try_set, (Default, bool), VersionedValue, Text);
DOCENT_BLOCKS(SharedCount, start, void);
DOCENT_ASYNC(SharedCount, async_start, (Default));
DOCENT_BLOCKS(SharedCount, set, VersionedCount, std::int32_t);
DOCENT_ASYNC(SharedCount, async_set, (Default, VersionedCount), std::int32_t);
DOCENT_BLOCKS(SharedCount, try_set, bool, VersionedCount, std::int32_t);
DOCENT_ASYNC(SharedCount, async_try_set, (Default, bool), VersionedCount, std::int32_t);

// ---- atomic values
DOCENT_BLOCKS(DistributedAtomicValue, get, AtomicBytes);
DOCENT_ASYNC(DistributedAtomicValue, async_get, (Default, AtomicBytes));
DOCENT_BLOCKS(DistributedAtomicValue, initialize, bool, Text);
DOCENT_ASYNC(DistributedAtomicValue, async_initialize, (Default, bool), Text);
DOCENT_BLOCKS(DistributedAtomicValue, force_set, void, Text);
DOCENT_ASYNC(DistributedAtomicValue, async_force_set, (Default), Text);
DOCENT_BLOCKS(DistributedAtomicValue, compare_and_set, AtomicBytes, Text, Text);
DOCENT_ASYNC(DistributedAtomicValue, async_compare_and_set, (Default, AtomicBytes), Text, Text);
DOCENT_BLOCKS(DistributedAtomicValue, try_set, AtomicBytes, Text);
DOCENT_ASYNC(DistributedAtomicValue, async_try_set, (Default, AtomicBytes), Text);
DOCENT_BLOCKS(DistributedAtomicLong, get, AtomicNumber);
DOCENT_ASYNC(DistributedAtomicLong, async_get, (Default, AtomicNumber));
DOCENT_BLOCKS(DistributedAtomicLong, initialize, bool, std::int64_t);
DOCENT_ASYNC(DistributedAtomicLong, async_initialize, (Default, bool), std::int64_t);
DOCENT_BLOCKS(DistributedAtomicLong, force_set, void, std::int64_t);
DOCENT_ASYNC(DistributedAtomicLong, async_force_set, (Default), std::int64_t);
DOCENT_BLOCKS(DistributedAtomicLong, compare_and_set, AtomicNumber, std::int64_t, std::int64_t);
DOCENT_ASYNC(DistributedAtomicLong, async_compare_and_set, (Default, AtomicNumber), std::int64_t, std::int64_t);
DOCENT_BLOCKS(DistributedAtomicLong, try_set, AtomicNumber, std::int64_t);
DOCENT_ASYNC(DistributedAtomicLong, async_try_set, (Default, AtomicNumber), std::int64_t);
DOCENT_BLOCKS(DistributedAtomicLong, add, AtomicNumber, std::int64_t);
DOCENT_ASYNC(DistributedAtomicLong, async_add, (Default, AtomicNumber), std::int64_t);
DOCENT_BLOCKS(DistributedAtomicLong, subtract, AtomicNumber, std::int64_t);
DOCENT_ASYNC(DistributedAtomicLong, async_subtract, (Default, AtomicNumber), std::int64_t);
DOCENT_BLOCKS(DistributedAtomicLong, increment, AtomicNumber);
DOCENT_ASYNC(DistributedAtomicLong, async_increment, (Default, AtomicNumber));
DOCENT_BLOCKS(DistributedAtomicLong, decrement, AtomicNumber);
DOCENT_ASYNC(DistributedAtomicLong, async_decrement, (Default, AtomicNumber));

// ---- persistent nodes
DOCENT_BLOCKS(PersistentNode, await_node, std::string);
DOCENT_ASYNC(PersistentNode, async_await_node, (Default, std::string));
DOCENT_BLOCKS(PersistentNode, set_data, void, Text);
DOCENT_ASYNC(PersistentNode, async_set_data, (Default), Text);
DOCENT_BLOCKS(PersistentNode, close, void);
DOCENT_ASYNC(PersistentNode, async_close, (Default));
DOCENT_BLOCKS(GroupMember, await_node, std::string);
DOCENT_ASYNC(GroupMember, async_await_node, (Default, std::string));
DOCENT_BLOCKS(GroupMember, set_data, void, Text);
DOCENT_ASYNC(GroupMember, async_set_data, (Default), Text);
DOCENT_BLOCKS(GroupMember, close, void);
DOCENT_ASYNC(GroupMember, async_close, (Default));
DOCENT_BLOCKS(GroupMember, members, Members);
DOCENT_ASYNC(GroupMember, async_members, (Default, Members));

// ---- caches
DOCENT_BLOCKS(NodeCache, start, void);
DOCENT_ASYNC(NodeCache, async_start, (Default));
DOCENT_BLOCKS(PathChildrenCache, start, void);
DOCENT_ASYNC(PathChildrenCache, async_start, (Default));
DOCENT_BLOCKS(TreeCache, start, void);
DOCENT_ASYNC(TreeCache, async_start, (Default));

// ---- barriers
DOCENT_BLOCKS(DistributedBarrier, set, void);
DOCENT_ASYNC(DistributedBarrier, async_set, (Default));
DOCENT_BLOCKS(DistributedBarrier, remove, void);
DOCENT_ASYNC(DistributedBarrier, async_remove, (Default));
DOCENT_BLOCKS(DistributedBarrier, wait, void);
DOCENT_ASYNC(DistributedBarrier, async_wait, (Default));
DOCENT_BLOCKS(DistributedDoubleBarrier, enter, void);
DOCENT_ASYNC(DistributedDoubleBarrier, async_enter, (Default));
DOCENT_BLOCKS(DistributedDoubleBarrier, leave, void);
DOCENT_ASYNC(DistributedDoubleBarrier, async_leave, (Default));
DOCENT_BLOCKS(CountDownLatch, count_down, void, std::int64_t);
DOCENT_ASYNC(CountDownLatch, async_count_down, (Default), std::int64_t);
DOCENT_BLOCKS(CountDownLatch, wait, void);
DOCENT_ASYNC(CountDownLatch, async_wait, (Default));
DOCENT_BLOCKS(CountDownLatch, left, std::int64_t);
DOCENT_ASYNC(CountDownLatch, async_left, (Default, std::int64_t));

// ---- free functions
static_assert(blocks<Inspection, Path>(DOCENT_FREE(inspect)));
static_assert(Async<Default, Inspection>::with<Path>(DOCENT_FREE(async_inspect)));
static_assert(blocks<void, Path>(DOCENT_FREE(revoke)));
static_assert(Async<Default>::with<Path>(DOCENT_FREE(async_revoke)));
[[maybe_unused]] const bool linked_inspect = link_blocking<Inspection, Path>(DOCENT_FREE(inspect)) &&
                                             Async<Default, Inspection>::link_with<Path>(DOCENT_FREE(async_inspect));
[[maybe_unused]] const bool linked_revoke =
    link_blocking<void, Path>(DOCENT_FREE(revoke)) && Async<Default>::link_with<Path>(DOCENT_FREE(async_revoke));

// ---- executors and factories
static_assert(std::same_as<decltype(some<const On<Client>&>().in_namespace("")), On<Client>>);
static_assert(std::same_as<decltype(some<On<Client>&>().session_events()), On<SessionEvents>>);
template <typename... Objects>
constexpr bool have_executors =
    (std::same_as<decltype(some<const On<Objects>&>().get_executor()), typename On<Objects>::executor_type> && ...) &&
    (std::derived_from<On<Objects>, Objects> && ...);
static_assert(have_executors<Client, Watch, SessionEvents, Lease, MultiLease, InterProcessMutex, InterProcessReadWriteLock>);
static_assert(have_executors<InterProcessSemaphore, InterProcessSemaphoreMutex, InterProcessMultiLock, LeaderLatch,
                             OncePerPeriod, SharedValue, SharedCount, DistributedAtomicValue, DistributedAtomicLong>);
template <typename Object>
constexpr bool moves = std::is_nothrow_move_constructible_v<On<Object>>&& std::is_nothrow_move_assignable_v<On<Object>> &&
                       !std::is_copy_constructible_v<On<Object>>;
static_assert(moves<Client> && moves<Lease> && moves<MultiLease> && moves<Watch> && moves<SessionEvents>);
template <typename... Objects> constexpr bool stay = !(std::is_move_constructible_v<On<Objects>> || ...);
static_assert(stay<InterProcessMutex, InterProcessReadWriteLock, InterProcessSemaphore, InterProcessSemaphoreMutex>);
static_assert(stay<InterProcessMultiLock, LeaderLatch, OncePerPeriod, SharedValue, SharedCount>);
static_assert(stay<DistributedAtomicValue, DistributedAtomicLong, PersistentNode, GroupMember>);
static_assert(stay<NodeCache, PathChildrenCache, TreeCache, DistributedBarrier, DistributedDoubleBarrier>);
static_assert(stay<CountDownLatch> && have_executors<DistributedBarrier, DistributedDoubleBarrier, CountDownLatch>);
static_assert(have_executors<PersistentNode, GroupMember, NodeCache, PathChildrenCache, TreeCache>);
template <typename... Objects> constexpr bool end_quietly = (std::is_nothrow_destructible_v<On<Objects>> && ...);
static_assert(end_quietly<Watch, LeaderLatch, SharedValue, DistributedAtomicLong, SessionEvents, Lease, MultiLease>);
static_assert(std::constructible_from<On<InterProcessMutex>, On<Client>&, Path>);
static_assert(std::constructible_from<On<InterProcessReadWriteLock>, On<Client>&, Path, LockOptions>);
static_assert(std::constructible_from<On<InterProcessSemaphore>, On<Client>&, Path, const On<SharedCount>&>);
