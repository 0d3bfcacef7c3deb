// SPDX-License-Identifier: Apache-2.0

// Every operation of `On<Object>`, whose default token is Default, in its three forms, each with CallOptions and without. The
// including file defines both names.

template <typename... Objects>
constexpr bool have_executors =
    (std::same_as<decltype(some<const On<Objects>&>().get_executor()), typename On<Objects>::executor_type> && ...) &&
    (std::derived_from<On<Objects>, Objects> && ...);
template <typename Object>
constexpr bool moves = std::is_nothrow_move_constructible_v<On<Object>>&& std::is_nothrow_move_assignable_v<On<Object>> &&
                       !std::is_copy_constructible_v<On<Object>>;
template <typename Object> constexpr bool stays = !std::is_move_constructible_v<On<Object>>;
template <typename... Objects> constexpr bool end_quietly = (std::is_nothrow_destructible_v<On<Objects>> && ...);

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

// ---- recipes
namespace recipes { // the lines of another file, which may have the same numbers
#include "all_recipes.hpp"
} // namespace recipes
static_assert(std::same_as<decltype(some<On<InterProcessReadWriteLock>&>().read_lock()), On<InterProcessMutex>&>);
static_assert(std::same_as<decltype(some<On<InterProcessReadWriteLock>&>().write_lock()), On<InterProcessMutex>&>);

// ---- leases
DOCENT_OPERATION(Lease, release, void);
DOCENT_OPERATION(Lease, wait_lost, void);
DOCENT_OPERATION(Lease, downgrade, Lease);
DOCENT_ANSWERS(Lease, extend, void, Hours);
DOCENT_OPERATION(MultiLease, release, void);

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
static_assert(have_executors<Client, Watch, SessionEvents, Lease, MultiLease>);
static_assert(moves<Client> && moves<Lease> && moves<MultiLease> && moves<Watch> && moves<SessionEvents>);
static_assert(end_quietly<Watch, SessionEvents, Lease, MultiLease>);
static_assert(std::constructible_from<On<InterProcessMutex>, On<Client>&, Path>);
static_assert(std::constructible_from<On<InterProcessReadWriteLock>, On<Client>&, Path, LockOptions>);
static_assert(std::constructible_from<On<InterProcessSemaphore>, On<Client>&, Path, const On<SharedCount>&>);
