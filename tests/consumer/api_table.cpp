// SPDX-License-Identifier: Apache-2.0

// Every operation in its three forms, each with CallOptions and without: a user's file that has to compile, not to run.

#include <docent/docent.hpp>

#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace docent;
using namespace std::chrono_literals;

/// A value for an unevaluated call.
template <typename T> T&& some();

/// Whether something can be called with these arguments, and gives that.
template <typename Result, typename Function, typename... Args> constexpr bool gives() {
    if constexpr (std::invocable<Function, Args...>) return std::same_as<std::invoke_result_t<Function, Args...>, Result>;
    else return false;
}

/// Both blocking forms of `call(arguments...)`, which gives Result, each with CallOptions and without.
template <typename Result, typename... Args> constexpr bool blocks(auto call) {
    using Call = decltype(call);
    return gives<Result, Call, Args...>() && gives<Result, Call, Args..., error_code&>() &&
           gives<Result, Call, Args..., error_code&, CallOptions>();
}

/// The asynchronous form with tokens of all kinds, with CallOptions and without.
template <typename... Results> struct Async {
    struct Plain {
        void operator()(error_code, Results...) const {}
    };
    /// Without CallOptions, for the short forms of operations with options of their own.
    template <typename... Args> static constexpr bool plain(auto call) {
        return std::invocable<decltype(call), Args..., Plain> && std::invocable<decltype(call), Args..., asio::deferred_t>;
    }
    template <typename... Args> static constexpr bool with(auto call) {
        return takes<Plain, Args...>(call) && takes<const asio::use_future_t<>&, Args...>(call) &&
               takes<const asio::use_awaitable_t<>&, Args...>(call) && takes<asio::deferred_t, Args...>(call) &&
               takes<asio::detached_t, Args...>(call) && std::invocable<decltype(call), Args...>;
    }

private:
    template <typename Token, typename... Args> static constexpr bool takes(auto call) {
        using Call = decltype(call);
        return std::invocable<Call, Args..., Token> && std::invocable<Call, Args..., CallOptions, Token>;
    }
};

// A member as something to be called: SFINAE-friendly, so that what is missing is a failed assertion with a line.
#define DOCENT_MEMBER(Object, name)                                                                                            \
    [](auto&&... args) -> decltype(some<Object&>().name(std::forward<decltype(args)>(args)...)) {                              \
        return some<Object&>().name(std::forward<decltype(args)>(args)...);                                                    \
    }
#define DOCENT_FREE(name)                                                                                                      \
    [](auto&&... args) -> decltype(name(some<Client&>(), std::forward<decltype(args)>(args)...)) {                             \
        return name(some<Client&>(), std::forward<decltype(args)>(args)...);                                                   \
    }
#define DOCENT_BLOCKS(Object, name, ...) static_assert(blocks<__VA_ARGS__>(DOCENT_MEMBER(Object, name)))
#define DOCENT_ASYNC(Object, name, results, ...)                                                                               \
    static_assert(Async<DOCENT_LIST results>::with<__VA_ARGS__>(DOCENT_MEMBER(Object, name)))
#define DOCENT_SHORT(Object, name, results, ...)                                                                               \
    static_assert(Async<DOCENT_LIST results>::plain<__VA_ARGS__>(DOCENT_MEMBER(Object, name)))
#define DOCENT_LIST(...) __VA_ARGS__

using Path = const char*;
using Text = const char*;
using Hours = std::chrono::hours;
using Found = std::optional<Stat>;
using Permits = std::vector<Lease>;

// ---- Client
DOCENT_BLOCKS(Client, wait_connected, void);
DOCENT_ASYNC(Client, async_wait_connected, ());
DOCENT_BLOCKS(Client, create, Created, Path);
DOCENT_BLOCKS(Client, create, Created, Path, Text);
DOCENT_BLOCKS(Client, create, Created, Path, Text, CreateOptions);
DOCENT_ASYNC(Client, async_create, (Created), Path, Text, CreateOptions);
DOCENT_BLOCKS(Client, get, NodeData, Path);
DOCENT_BLOCKS(Client, get, NodeData, Path, GetOptions);
DOCENT_SHORT(Client, async_get, (NodeData), Path);
DOCENT_ASYNC(Client, async_get, (NodeData), Path, GetOptions);
DOCENT_BLOCKS(Client, get_watched, Watched<NodeData>, Path);
DOCENT_BLOCKS(Client, get_watched, Watched<NodeData>, Path, GetOptions);
DOCENT_SHORT(Client, async_get_watched, (Watched<NodeData>), Path);
DOCENT_ASYNC(Client, async_get_watched, (Watched<NodeData>), Path, GetOptions);
DOCENT_BLOCKS(Client, set, Stat, Path, Text);
DOCENT_BLOCKS(Client, set, Stat, Path, Text, SetOptions);
DOCENT_SHORT(Client, async_set, (Stat), Path, Text);
DOCENT_ASYNC(Client, async_set, (Stat), Path, Text, SetOptions);
DOCENT_BLOCKS(Client, remove, void, Path);
DOCENT_BLOCKS(Client, remove, void, Path, RemoveOptions);
DOCENT_SHORT(Client, async_remove, (), Path);
DOCENT_ASYNC(Client, async_remove, (), Path, RemoveOptions);
DOCENT_BLOCKS(Client, exists, Found, Path);
DOCENT_ASYNC(Client, async_exists, (Found), Path);
DOCENT_BLOCKS(Client, exists_watched, Watched<Found>, Path);
DOCENT_ASYNC(Client, async_exists_watched, (Watched<Found>), Path);
DOCENT_BLOCKS(Client, children, Children, Path);
DOCENT_ASYNC(Client, async_children, (Children), Path);
DOCENT_BLOCKS(Client, children_watched, Watched<Children>, Path);
DOCENT_ASYNC(Client, async_children_watched, (Watched<Children>), Path);
DOCENT_BLOCKS(Client, get_acl, NodeAcl, Path);
DOCENT_ASYNC(Client, async_get_acl, (NodeAcl), Path);
DOCENT_BLOCKS(Client, set_acl, Stat, Path, Acl);
DOCENT_BLOCKS(Client, set_acl, Stat, Path, Acl, std::int32_t);
DOCENT_ASYNC(Client, async_set_acl, (Stat), Path, Acl, std::int32_t);
DOCENT_BLOCKS(Client, ensemble_config, NodeData);
DOCENT_ASYNC(Client, async_ensemble_config, (NodeData));
DOCENT_BLOCKS(Client, ensemble_config_watched, Watched<NodeData>);
DOCENT_ASYNC(Client, async_ensemble_config_watched, (Watched<NodeData>));
DOCENT_BLOCKS(Client, reconfigure, NodeData, Reconfiguration);
DOCENT_ASYNC(Client, async_reconfigure, (NodeData), Reconfiguration);
DOCENT_BLOCKS(Client, sync, void, Path);
DOCENT_ASYNC(Client, async_sync, (), Path);
DOCENT_BLOCKS(Client, commit, TransactionResult, Transaction);
DOCENT_ASYNC(Client, async_commit, (TransactionResult), Transaction);

// ---- what a client gives
DOCENT_BLOCKS(Watch, wait, WatchEvent);
DOCENT_ASYNC(Watch, async_wait, (WatchEvent));
DOCENT_BLOCKS(SessionEvents, next, SessionEvent);
DOCENT_ASYNC(SessionEvents, async_next, (SessionEvent));

// ---- locks
DOCENT_BLOCKS(InterProcessMutex, acquire, Lease);
DOCENT_ASYNC(InterProcessMutex, async_acquire, (Lease));
DOCENT_BLOCKS(InterProcessMutex, try_acquire, std::optional<Lease>);
DOCENT_ASYNC(InterProcessMutex, async_try_acquire, (Lease));
DOCENT_BLOCKS(InterProcessMutex, try_acquire_for, std::optional<Lease>, Hours);
DOCENT_ASYNC(InterProcessMutex, async_try_acquire_for, (Lease), Hours);
static_assert(std::same_as<decltype(some<InterProcessReadWriteLock&>().read_lock()), InterProcessMutex&>);
static_assert(std::same_as<decltype(some<InterProcessReadWriteLock&>().write_lock()), InterProcessMutex&>);
DOCENT_BLOCKS(InterProcessSemaphoreMutex, acquire, Lease);
DOCENT_ASYNC(InterProcessSemaphoreMutex, async_acquire, (Lease));
DOCENT_BLOCKS(InterProcessSemaphoreMutex, try_acquire, std::optional<Lease>);
DOCENT_ASYNC(InterProcessSemaphoreMutex, async_try_acquire, (Lease));
DOCENT_BLOCKS(InterProcessSemaphoreMutex, try_acquire_for, std::optional<Lease>, Hours);
DOCENT_ASYNC(InterProcessSemaphoreMutex, async_try_acquire_for, (Lease), Hours);
DOCENT_BLOCKS(InterProcessSemaphore, acquire, Lease);
DOCENT_ASYNC(InterProcessSemaphore, async_acquire, (Lease));
DOCENT_BLOCKS(InterProcessSemaphore, try_acquire, std::optional<Lease>);
DOCENT_ASYNC(InterProcessSemaphore, async_try_acquire, (Lease));
DOCENT_BLOCKS(InterProcessSemaphore, try_acquire_for, std::optional<Lease>, Hours);
DOCENT_ASYNC(InterProcessSemaphore, async_try_acquire_for, (Lease), Hours);
DOCENT_BLOCKS(InterProcessSemaphore, acquire, Permits, std::int32_t);
DOCENT_ASYNC(InterProcessSemaphore, async_acquire, (Permits), std::int32_t);
DOCENT_BLOCKS(InterProcessSemaphore, try_acquire, std::optional<Permits>, std::int32_t);
DOCENT_ASYNC(InterProcessSemaphore, async_try_acquire, (Permits), std::int32_t);
DOCENT_BLOCKS(InterProcessSemaphore, try_acquire_for, std::optional<Permits>, std::int32_t, Hours);
DOCENT_ASYNC(InterProcessSemaphore, async_try_acquire_for, (Permits), std::int32_t, Hours);
DOCENT_BLOCKS(InterProcessSemaphore, usage, PermitUsage);
DOCENT_ASYNC(InterProcessSemaphore, async_usage, (PermitUsage));
DOCENT_BLOCKS(InterProcessMultiLock, acquire, MultiLease);
DOCENT_ASYNC(InterProcessMultiLock, async_acquire, (MultiLease));
DOCENT_BLOCKS(InterProcessMultiLock, try_acquire, std::optional<MultiLease>);
DOCENT_ASYNC(InterProcessMultiLock, async_try_acquire, (MultiLease));
DOCENT_BLOCKS(InterProcessMultiLock, try_acquire_for, std::optional<MultiLease>, Hours);
DOCENT_ASYNC(InterProcessMultiLock, async_try_acquire_for, (MultiLease), Hours);

// ---- what is held
DOCENT_BLOCKS(Lease, release, void);
DOCENT_ASYNC(Lease, async_release, ());
DOCENT_BLOCKS(Lease, wait_lost, void);
DOCENT_ASYNC(Lease, async_wait_lost, ());
DOCENT_BLOCKS(Lease, downgrade, Lease);
DOCENT_ASYNC(Lease, async_downgrade, (Lease));
DOCENT_BLOCKS(MultiLease, release, void);
DOCENT_ASYNC(MultiLease, async_release, ());

// ---- shared values
DOCENT_BLOCKS(SharedValue, start, void);
DOCENT_ASYNC(SharedValue, async_start, ());
DOCENT_BLOCKS(SharedValue, set, VersionedValue, Text);
DOCENT_ASYNC(SharedValue, async_set, (VersionedValue), Text);
DOCENT_BLOCKS(SharedValue, try_set, bool, VersionedValue, Text);
DOCENT_ASYNC(SharedValue, async_try_set, (bool), VersionedValue, Text);
DOCENT_BLOCKS(SharedCount, start, void);
DOCENT_ASYNC(SharedCount, async_start, ());
DOCENT_BLOCKS(SharedCount, set, VersionedCount, std::int32_t);
DOCENT_ASYNC(SharedCount, async_set, (VersionedCount), std::int32_t);
DOCENT_BLOCKS(SharedCount, try_set, bool, VersionedCount, std::int32_t);
DOCENT_ASYNC(SharedCount, async_try_set, (bool), VersionedCount, std::int32_t);

// ---- free functions
static_assert(blocks<Inspection, Path>(DOCENT_FREE(inspect)));
static_assert(Async<Inspection>::with<Path>(DOCENT_FREE(async_inspect)));
static_assert(blocks<void, Path>(DOCENT_FREE(revoke)));
static_assert(Async<>::with<Path>(DOCENT_FREE(async_revoke)));

// ---- executors and moves
static_assert(std::same_as<Client::executor_type, asio::any_io_executor>);
static_assert(std::same_as<decltype(some<const Client&>().get_executor()), Client::executor_type>);
static_assert(std::is_nothrow_move_constructible_v<Client> && !std::is_copy_constructible_v<Client>);
static_assert(std::is_nothrow_move_constructible_v<Lease> && std::is_nothrow_move_assignable_v<Lease>);
static_assert(std::is_nothrow_move_constructible_v<Watch> && std::is_nothrow_move_assignable_v<Watch>);
static_assert(std::is_nothrow_move_constructible_v<SessionEvents> && std::is_nothrow_move_assignable_v<SessionEvents>);
static_assert(std::is_nothrow_destructible_v<Watch> && std::is_nothrow_destructible_v<SharedValue> &&
              std::is_nothrow_destructible_v<SessionEvents>);

} // namespace

int main() {}
