// SPDX-License-Identifier: Apache-2.0

// All recipes. The including file defines these macros for its test, and a recipe takes part in all of these tests by its
// lines here. `ctest -R docs.recipes` fails for a recipe or an operation that is missing.
//
// DOCENT_RECIPE(Class): what objects of all recipes have in common.
// DOCENT_OPERATION(Class, name, Result, Arguments...): the blocking and the asynchronous forms of an operation.
// DOCENT_ACQUIRES(Class, Result, Arguments...): all forms to acquire a lock.
// DOCENT_TIMED(asks, call): a call whose timeout passes. `asks` is answer, effect or turn: lines 5, 2 and 4 of the rule in
//     docs/client/errors.md.
// DOCENT_NEEDS_PARENTS(call): a call that makes the missing parents of `path`, which can be forbidden.
//
// A call has `Client& c`, `std::string path`, `error_code& ec` and `CallOptions o`. It makes the object that it needs.

// ---- locks
DOCENT_RECIPE(InterProcessMutex);
DOCENT_ACQUIRES(InterProcessMutex, Lease);
DOCENT_TIMED(turn, InterProcessMutex(c, path).acquire(ec, o));
DOCENT_TIMED(turn, InterProcessMutex(c, path + "-kept", {.keep_for = 1s, .max_local_handovers = 2}).acquire(ec, o));
DOCENT_TIMED(turn, require_held(InterProcessMutex(c, path).try_acquire_for(*o.timeout, ec), ec));
DOCENT_TIMED(answer, inspect(c, path, ec, o));
DOCENT_NEEDS_PARENTS(InterProcessMutex(c, path).acquire(ec, o));

DOCENT_RECIPE(InterProcessReadWriteLock);
DOCENT_TIMED(turn, InterProcessReadWriteLock(c, path).read_lock().acquire(ec, o));
DOCENT_TIMED(turn, InterProcessReadWriteLock(c, path).write_lock().acquire(ec, o));
DOCENT_NEEDS_PARENTS(InterProcessReadWriteLock(c, path).write_lock().acquire(ec, o));

DOCENT_RECIPE(InterProcessSemaphore);
DOCENT_ACQUIRES(InterProcessSemaphore, Lease);
DOCENT_ACQUIRES(InterProcessSemaphore, Permits, std::int32_t);
DOCENT_OPERATION(InterProcessSemaphore, usage, PermitUsage);
DOCENT_TIMED(turn, InterProcessSemaphore(c, path, 3).acquire(ec, o));
DOCENT_TIMED(turn, InterProcessSemaphore(c, path, 3).acquire(2, ec, o));
DOCENT_TIMED(turn, require_held(InterProcessSemaphore(c, path, 3).try_acquire_for(*o.timeout, ec), ec));
DOCENT_TIMED(answer, InterProcessSemaphore(c, path, 3).usage(ec, o));
DOCENT_NEEDS_PARENTS(InterProcessSemaphore(c, path, 2).acquire(ec, o));

DOCENT_RECIPE(InterProcessSemaphoreMutex);
DOCENT_ACQUIRES(InterProcessSemaphoreMutex, Lease);
DOCENT_TIMED(turn, InterProcessSemaphoreMutex(c, path).acquire(ec, o));

DOCENT_RECIPE(InterProcessMultiLock);
DOCENT_ACQUIRES(InterProcessMultiLock, MultiLease);
DOCENT_TIMED(turn,
             InterProcessMultiLock({InterProcessMutex(c, path), InterProcessSemaphore(c, path + "-2", 2)}).acquire(ec, o));
DOCENT_TIMED(turn, require_held(InterProcessMultiLock({InterProcessMutex(c, path), InterProcessSemaphore(c, path + "-2", 2)})
                                    .try_acquire_for(*o.timeout, ec),
                                ec));
DOCENT_NEEDS_PARENTS(InterProcessMultiLock(c, {"/a", path}).acquire(ec, o));

// ---- elections
DOCENT_RECIPE(LeaderLatch);
DOCENT_OPERATION(LeaderLatch, await_leadership, Leadership);
DOCENT_OPERATION(LeaderLatch, resign, void);
DOCENT_OPERATION(LeaderLatch, close, void, LatchClose);
DOCENT_OPERATION(LeaderLatch, participants, Everybody);
DOCENT_OPERATION(LeaderLatch, leader, std::optional<Participant>);
DOCENT_TIMED(turn, LeaderLatch(c, path).await_leadership(ec, o));
DOCENT_TIMED(answer, LeaderLatch(c, path).participants(ec, o));
DOCENT_NEEDS_PARENTS(LeaderLatch(c, path).await_leadership(ec, o));

DOCENT_RECIPE(LeaderSelector);
DOCENT_OPERATION(LeaderSelector, close, void);
DOCENT_OPERATION(LeaderSelector, participants, Everybody);
DOCENT_OPERATION(LeaderSelector, leader, std::optional<Participant>);
DOCENT_TIMED(answer, LeaderSelector(c, path, [](const Lease&) {}).participants(ec, o));

DOCENT_RECIPE(Partitioner);
DOCENT_OPERATION(Partitioner, close, void);
DOCENT_OPERATION(Partitioner, distribution, Distribution);
DOCENT_TIMED(answer, Partitioner(c, path, numbered_items(2), [](const std::string&, const Lease&) {}).distribution(ec, o));

// ---- jobs
DOCENT_RECIPE(OncePerPeriod);
DOCENT_OPERATION(OncePerPeriod, begin, JobStart, const Lease&);
DOCENT_OPERATION(OncePerPeriod, complete, void, const Lease&, JobStart);

// ---- shared values
DOCENT_RECIPE(SharedValue);
DOCENT_OPERATION(SharedValue, start, void);
DOCENT_OPERATION(SharedValue, set, VersionedValue, Text);
DOCENT_OPERATION(SharedValue, try_set, bool, VersionedValue, Text);
DOCENT_TIMED(answer, SharedValue(c, path).start(ec, o));

DOCENT_RECIPE(SharedCount);
DOCENT_OPERATION(SharedCount, start, void);
DOCENT_OPERATION(SharedCount, set, VersionedCount, std::int32_t);
DOCENT_OPERATION(SharedCount, try_set, bool, VersionedCount, std::int32_t);
DOCENT_TIMED(answer, SharedCount(c, path).start(ec, o));
DOCENT_NEEDS_PARENTS(SharedCount(c, path).start(ec, o));

// ---- atomic values
DOCENT_RECIPE(DistributedAtomicValue);
DOCENT_OPERATION(DistributedAtomicValue, get, AtomicBytes);
DOCENT_OPERATION(DistributedAtomicValue, initialize, bool, Text);
DOCENT_OPERATION(DistributedAtomicValue, force_set, void, Text);
DOCENT_OPERATION(DistributedAtomicValue, compare_and_set, AtomicBytes, Text, Text);
DOCENT_OPERATION(DistributedAtomicValue, try_set, AtomicBytes, Text);
DOCENT_TIMED(answer, DistributedAtomicValue(c, path).get(ec, o));

DOCENT_RECIPE(DistributedAtomicLong);
DOCENT_OPERATION(DistributedAtomicLong, get, AtomicNumber);
DOCENT_OPERATION(DistributedAtomicLong, initialize, bool, std::int64_t);
DOCENT_OPERATION(DistributedAtomicLong, force_set, void, std::int64_t);
DOCENT_OPERATION(DistributedAtomicLong, compare_and_set, AtomicNumber, std::int64_t, std::int64_t);
DOCENT_OPERATION(DistributedAtomicLong, try_set, AtomicNumber, std::int64_t);
DOCENT_OPERATION(DistributedAtomicLong, add, AtomicNumber, std::int64_t);
DOCENT_OPERATION(DistributedAtomicLong, subtract, AtomicNumber, std::int64_t);
DOCENT_OPERATION(DistributedAtomicLong, increment, AtomicNumber);
DOCENT_OPERATION(DistributedAtomicLong, decrement, AtomicNumber);
DOCENT_TIMED(answer, DistributedAtomicLong(c, path).get(ec, o));
DOCENT_NEEDS_PARENTS(DistributedAtomicLong(c, path).increment(ec, o));
DOCENT_NEEDS_PARENTS(DistributedAtomicLong(c, "/count", {.marker_parent = std::string(parent_path(path))}).increment(ec, o));

// ---- persistent nodes
DOCENT_RECIPE(PersistentNode);
DOCENT_OPERATION(PersistentNode, await_node, std::string);
DOCENT_OPERATION(PersistentNode, set_data, void, Text);
DOCENT_OPERATION(PersistentNode, close, void);
DOCENT_TIMED(answer, PersistentNode(c, path).await_node(ec, o));
DOCENT_NEEDS_PARENTS(PersistentNode(c, path).await_node(ec, o));

DOCENT_RECIPE(GroupMember);
DOCENT_OPERATION(GroupMember, await_node, std::string);
DOCENT_OPERATION(GroupMember, set_data, void, Text);
DOCENT_OPERATION(GroupMember, close, void);
DOCENT_OPERATION(GroupMember, members, Members);
DOCENT_TIMED(answer, GroupMember(c, path, "me").members(ec, o));
DOCENT_NEEDS_PARENTS(GroupMember(c, parent_path(path), "me").await_node(ec, o));

// ---- caches
DOCENT_RECIPE(NodeCache);
DOCENT_OPERATION(NodeCache, start, void);
DOCENT_TIMED(answer, NodeCache(c, path).start(ec, o));

DOCENT_RECIPE(PathChildrenCache);
DOCENT_OPERATION(PathChildrenCache, start, void);
DOCENT_TIMED(answer, PathChildrenCache(c, path).start(ec, o));

DOCENT_RECIPE(TreeCache);
DOCENT_OPERATION(TreeCache, start, void);
DOCENT_TIMED(answer, TreeCache(c, path).start(ec, o));

// ---- barriers
DOCENT_RECIPE(DistributedBarrier);
DOCENT_OPERATION(DistributedBarrier, set, void);
DOCENT_OPERATION(DistributedBarrier, remove, void);
DOCENT_OPERATION(DistributedBarrier, wait, void);
DOCENT_TIMED(answer, DistributedBarrier(c, path).wait(ec, o));
DOCENT_NEEDS_PARENTS(DistributedBarrier(c, path).set(ec, o));

DOCENT_RECIPE(DistributedDoubleBarrier);
DOCENT_OPERATION(DistributedDoubleBarrier, enter, void);
DOCENT_OPERATION(DistributedDoubleBarrier, leave, void);
DOCENT_TIMED(answer, DistributedDoubleBarrier(c, path, 2).enter(ec, o));
DOCENT_NEEDS_PARENTS(DistributedDoubleBarrier(c, path, 2).enter(ec, o));

DOCENT_RECIPE(CountDownLatch);
DOCENT_OPERATION(CountDownLatch, count_down, void, std::int64_t);
DOCENT_OPERATION(CountDownLatch, wait, void);
DOCENT_OPERATION(CountDownLatch, left, std::int64_t);
DOCENT_TIMED(answer, CountDownLatch(c, path, 1).left(ec, o));
DOCENT_TIMED(answer, CountDownLatch(c, path, 1).wait(ec, o));
