// SPDX-License-Identifier: Apache-2.0

// Every operation of `On<Object>`, whose default token is Default, in its three forms, each with CallOptions and without. The
// including file defines both names.

// ---- Client
DOCENT_OPERATION(Client, wait_connected, void);
DOCENT_SHORTLY(Client, create, Created, Path);
DOCENT_SHORTLY(Client, create, Created, Path, Text);
DOCENT_OPERATION(Client, create, Created, Path, Text, CreateOptions);
DOCENT_BLOCKS(Client, create, Created, Path, CreateOptions);
DOCENT_BLOCKS(Client, create, Created, Path, Text, CreateMode);
DOCENT_ASYNC_SHORTLY(Client, async_create, Created, Path, CreateOptions);
DOCENT_ASYNC_SHORTLY(Client, async_create, Created, Path, Text, CreateMode);
DOCENT_SHORTLY(Client, get, NodeData, Path);
DOCENT_OPERATION(Client, get, NodeData, Path, GetOptions);
DOCENT_SHORTLY(Client, get_watched, Watched<NodeData>, Path);
DOCENT_OPERATION(Client, get_watched, Watched<NodeData>, Path, GetOptions);
DOCENT_SHORTLY(Client, set, Stat, Path, Text);
DOCENT_OPERATION(Client, set, Stat, Path, Text, SetOptions);
DOCENT_BLOCKS(Client, set, Stat, Path, Text, std::int32_t);
DOCENT_ASYNC_SHORTLY(Client, async_set, Stat, Path, Text, std::int32_t);
DOCENT_SHORTLY(Client, remove, void, Path);
DOCENT_OPERATION(Client, remove, void, Path, RemoveOptions);
DOCENT_OPERATION(Client, exists, Found, Path);
DOCENT_OPERATION(Client, exists_watched, Watched<Found>, Path);
DOCENT_OPERATION(Client, children, Children, Path);
DOCENT_OPERATION(Client, children_watched, Watched<Children>, Path);
DOCENT_OPERATION(Client, get_acl, NodeAcl, Path);
DOCENT_SHORTLY(Client, set_acl, Stat, Path, Acl);
DOCENT_OPERATION(Client, set_acl, Stat, Path, Acl, std::int32_t);
DOCENT_OPERATION(Client, ensemble_config, NodeData);
DOCENT_OPERATION(Client, ensemble_config_watched, Watched<NodeData>);
DOCENT_OPERATION(Client, reconfigure, NodeData, Reconfiguration);
DOCENT_SHORTLY(Client, sync, void);
DOCENT_OPERATION(Client, sync, void, Path);
DOCENT_OPERATION(Client, commit, TransactionResult, Transaction);
DOCENT_ASYNC_SHORTLY(Client, async_close, void);

// ---- watches and session events
DOCENT_OPERATION(Watch, wait, WatchEvent);
DOCENT_OPERATION(SessionEvents, next, SessionEvent);

// ---- locks
DOCENT_ACQUIRES(InterProcessMutex, Lease);
static_assert(std::same_as<decltype(some<On<InterProcessReadWriteLock>&>().read_lock()), On<InterProcessMutex>&>);
static_assert(std::same_as<decltype(some<On<InterProcessReadWriteLock>&>().write_lock()), On<InterProcessMutex>&>);
DOCENT_ACQUIRES(InterProcessSemaphoreMutex, Lease);
DOCENT_ACQUIRES(InterProcessSemaphore, Lease);
DOCENT_ACQUIRES(InterProcessSemaphore, Permits, std::int32_t);
DOCENT_OPERATION(InterProcessSemaphore, usage, PermitUsage);
DOCENT_ACQUIRES(InterProcessMultiLock, MultiLease);

// ---- leases
DOCENT_OPERATION(Lease, release, void);
DOCENT_OPERATION(Lease, wait_lost, void);
DOCENT_OPERATION(Lease, downgrade, Lease);
DOCENT_ANSWERS(Lease, extend, void, Hours);
DOCENT_OPERATION(MultiLease, release, void);

// ---- elections
using Everybody = std::vector<Participant>;
DOCENT_OPERATION(LeaderLatch, await_leadership, Leadership);
DOCENT_OPERATION(LeaderLatch, resign, void);
DOCENT_OPERATION(LeaderLatch, close, void, LatchClose);
DOCENT_OPERATION(LeaderLatch, participants, Everybody);
DOCENT_OPERATION(LeaderLatch, leader, std::optional<Participant>);

// ---- jobs
DOCENT_OPERATION(OncePerPeriod, begin, JobStart, const Lease&);
DOCENT_OPERATION(OncePerPeriod, complete, void, const Lease&, JobStart);

// ---- shared values
DOCENT_OPERATION(SharedValue, start, void);
DOCENT_OPERATION(SharedValue, set, VersionedValue, Text);
DOCENT_OPERATION(SharedValue, try_set, bool, VersionedValue, Text);
DOCENT_OPERATION(SharedCount, start, void);
DOCENT_OPERATION(SharedCount, set, VersionedCount, std::int32_t);
DOCENT_OPERATION(SharedCount, try_set, bool, VersionedCount, std::int32_t);

// ---- atomic values
DOCENT_OPERATION(DistributedAtomicValue, get, AtomicBytes);
DOCENT_OPERATION(DistributedAtomicValue, initialize, bool, Text);
DOCENT_OPERATION(DistributedAtomicValue, force_set, void, Text);
DOCENT_OPERATION(DistributedAtomicValue, compare_and_set, AtomicBytes, Text, Text);
DOCENT_OPERATION(DistributedAtomicValue, try_set, AtomicBytes, Text);
DOCENT_OPERATION(DistributedAtomicLong, get, AtomicNumber);
DOCENT_OPERATION(DistributedAtomicLong, initialize, bool, std::int64_t);
DOCENT_OPERATION(DistributedAtomicLong, force_set, void, std::int64_t);
DOCENT_OPERATION(DistributedAtomicLong, compare_and_set, AtomicNumber, std::int64_t, std::int64_t);
DOCENT_OPERATION(DistributedAtomicLong, try_set, AtomicNumber, std::int64_t);
DOCENT_OPERATION(DistributedAtomicLong, add, AtomicNumber, std::int64_t);
DOCENT_OPERATION(DistributedAtomicLong, subtract, AtomicNumber, std::int64_t);
DOCENT_OPERATION(DistributedAtomicLong, increment, AtomicNumber);
DOCENT_OPERATION(DistributedAtomicLong, decrement, AtomicNumber);

// ---- persistent nodes
DOCENT_OPERATION(PersistentNode, await_node, std::string);
DOCENT_OPERATION(PersistentNode, set_data, void, Text);
DOCENT_OPERATION(PersistentNode, close, void);
DOCENT_OPERATION(GroupMember, await_node, std::string);
DOCENT_OPERATION(GroupMember, set_data, void, Text);
DOCENT_OPERATION(GroupMember, close, void);
DOCENT_OPERATION(GroupMember, members, Members);

// ---- caches
DOCENT_OPERATION(NodeCache, start, void);
DOCENT_OPERATION(PathChildrenCache, start, void);
DOCENT_OPERATION(TreeCache, start, void);

// ---- barriers
DOCENT_OPERATION(DistributedBarrier, set, void);
DOCENT_OPERATION(DistributedBarrier, remove, void);
DOCENT_OPERATION(DistributedBarrier, wait, void);
DOCENT_OPERATION(DistributedDoubleBarrier, enter, void);
DOCENT_OPERATION(DistributedDoubleBarrier, leave, void);
DOCENT_OPERATION(CountDownLatch, count_down, void, std::int64_t);
DOCENT_OPERATION(CountDownLatch, wait, void);
DOCENT_OPERATION(CountDownLatch, left, std::int64_t);

// ---- free functions
static_assert(blocks<Inspection, Path>(DOCENT_FREE(inspect)));
static_assert(completes<Default, Inspection, Path>(DOCENT_FREE(async_inspect)));
static_assert(blocks<void, Path>(DOCENT_FREE(revoke)));
static_assert(completes<Default, void, Path>(DOCENT_FREE(async_revoke)));
[[maybe_unused]] const bool linked_inspect =
    link_blocking<Inspection, Path>(DOCENT_FREE(inspect)) && link_async<Inspection, Path>(DOCENT_FREE(async_inspect));
[[maybe_unused]] const bool linked_revoke =
    link_blocking<void, Path>(DOCENT_FREE(revoke)) && link_async<void, Path>(DOCENT_FREE(async_revoke));

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
