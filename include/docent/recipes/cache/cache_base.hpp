// SPDX-License-Identifier: Apache-2.0
#pragma once

// The base of all caches.

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/recipes/cache/cache_event.hpp>
#include <docent/session_events.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

class Client;

/// Decides by a node's path whether a cache includes it. Nodes below an excluded node are not read
/// either.
///
/// It is called on the client's executor, from several threads at once, for each child in each list
/// that is read. It must not throw, and must always give the same answer for a path.
/// @ingroup caches
using CacheSelector = std::function<bool(const std::string& path)>;

namespace detail {
class CacheCore;
struct CacheShape;
DOCENT_EXPORT asio::any_io_executor executor_of(const CacheCore& core);
DOCENT_EXPORT void initiate_cache_start(const std::shared_ptr<CacheCore>&, CallOptions, Handler<>);

/// The asynchronous operation of all caches.
/// @ingroup caches
template <typename Base, typename Default> class AsyncCache : public AsyncOf<Base> {
public:
    using AsyncOf<Base>::AsyncOf;

    /// Starts the cache, as CacheBase::start() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial` and `total`.
    /// It ends the wait; the cache goes on. Lifetime: if the cache is destroyed before completion,
    /// the call completes with `error::closed`.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_start(Token&& token = Token{}) {
        return async_start(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_start(CallOptions call, Token&& token = Token{}) {
        return initiate<>(&initiate_cache_start, token, this->core_, std::move(call));
    }
};

} // namespace detail

/// The base of NodeCache, PathChildrenCache and TreeCache.
///
/// ```cpp
/// docent::NodeCache cache{client, "/config/limits"};
/// docent::CacheBase& base = cache;
/// docent::Subscription changes = base.listen([](const docent::CacheEvent& event) { (void)event.path; });
/// base.start();
/// ```
///
/// A cache reads nodes, watches them, and writes nothing. It shows a state that the servers had at
/// some time. In one session this state is never older than a state shown before. A change shows
/// after a round trip or two. A cache does not see states between two reads. The events, applied in
/// order, give exactly the shown state.
///
/// Lifetime: the destructor closes the cache and does not wait. Thread safety: all members may be
/// called from any thread.
/// @ingroup caches
class DOCENT_EXPORT CacheBase : public detail::AsyncCache<detail::Holder<detail::CacheCore>, asio::deferred_t> {
public:
    CacheBase(const CacheBase&) = delete;            ///< Not copyable.
    CacheBase& operator=(const CacheBase&) = delete; ///< Not copyable.

    /// The path, as it was given.
    const std::string& path() const noexcept;

    /// Follows the nodes from now on, and waits until all of them are read.
    ///
    /// A missing node is no error: the cache waits for it in the background. If the wait fails, the
    /// cache goes on and tries again.
    ///
    /// Errors, which name the reason why the cache is not complete yet: `error::not_connected`
    /// (no connection for `ClientConfig::connection_timeout`), `server_error::no_auth` and
    /// `error::corrupt_data` (for the path itself; unreadable nodes below are left out),
    /// `error::reply_too_large`, `error::too_many_watches`, `server_error::operation_timeout`
    /// (`call.timeout` has passed), `error::closed` (after close()).
    void start(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void start(error_code& ec, CallOptions call = {});

    /// Whether all nodes were read since the start, and since the last break of the connection. No
    /// network.
    bool whole() const;

    /// Calls `listener` with the present state and then with each change, in order, one at a time.
    ///
    /// First comes an `added` for each node, and a `whole` if the cache is complete. The listener
    /// runs on `executor`; without `executor` on the client's executor. No event is dropped: events
    /// for a slow listener are kept in memory. The Subscription ends the listening when it is
    /// destroyed.
    [[nodiscard]] Subscription listen(std::function<void(const CacheEvent&)> listener, asio::any_io_executor executor = {});

    /// Stops following the nodes. The known nodes remain readable. Does not wait; a second call
    /// does nothing.
    void close();

protected:
    /// Makes a cache of this shape; for the derived classes.
    CacheBase(Client& client, const char* what, const detail::CacheShape& shape, CacheSelector selector);
    /// For `as_default_on()`: another object for the same state.
    CacheBase(detail::SameObject same, const CacheBase& other) : AsyncCache(same, other), keeping_(other.keeping_) {}
    /// Closes the cache without waiting.
    ~CacheBase() = default;

    /// The node at `path`; null if the cache has none.
    CachedNodePtr find(std::string_view path) const;
    /// The children of the node at `path`.
    CachedNodes children_of(std::string_view path) const;
    /// All nodes.
    CachedNodes all() const;

private:
    detail::ProcessOwned<void> keeping_; // closes the cache with its last object
};

} // namespace docent
