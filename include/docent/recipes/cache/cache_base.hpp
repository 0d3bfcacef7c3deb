// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all caches have.

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

/// Whether a node is of interest to a cache, by its path; what is below one that is not, is not read either. It is called where
/// users' functions are, on as many threads as there are, once for each child in each list that is read, and must neither throw
/// nor change its mind.
using CacheSelector = std::function<bool(const std::string& path)>;

namespace detail {
class CacheCore;
struct CacheShape;
DOCENT_EXPORT asio::any_io_executor executor_of(const CacheCore& core);
DOCENT_EXPORT void initiate_cache_start(const std::shared_ptr<CacheCore>&, CallOptions, Handler<>);

template <typename Base, typename Default> class AsyncCache : public Base {
public:
    using Base::Base;
    AsyncCache() = default;
    explicit AsyncCache(Base&& base) : Base(SameObject{}, base) {}

    /// As start(). Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial`, `total`; ends the wait, not
    /// the cache. Lifetime: the object may be destroyed before completion, which then is that with `error::closed`.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_start(Token&& token = Token{}) {
        return async_start(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_start(CallOptions call, Token&& token = Token{}) {
        return initiate<>(&initiate_cache_start, token, this->core_, std::move(call));
    }
};

} // namespace detail

/// Of NodeCache, PathChildrenCache and TreeCache, each of which says what it shows.
///
/// A cache reads, and watches what it has read; it writes nothing. What it shows is what the servers had at some time, never
/// older than before in one session, and the newest within a round trip or two of a change. States between two reads are
/// not seen. Its events, one after the other, make exactly what it shows.
///
/// Lifetime: the destructor closes and does not wait. Thread safety: all members from any thread.
class DOCENT_EXPORT CacheBase : public detail::AsyncCache<detail::Holder<detail::CacheCore>, asio::deferred_t> {
public:
    CacheBase(const CacheBase&) = delete;
    CacheBase& operator=(const CacheBase&) = delete;

    /// As it was given.
    const std::string& path() const noexcept;

    /// Follows the nodes from now on, and waits until all that there is has been read; at once if it is. A path that is not
    /// there is no error: it is waited for in the background. Whatever ends the wait, the cache goes on. Errors: what keeps it
    /// from being whole, though it is tried again: `error::not_connected` after `ClientConfig::connection_timeout`,
    /// `server_error::no_auth` for its path (a node below that may not be read is left out), `error::too_many_watches`,
    /// `error::corrupt_data` for its path; `server_error::operation_timeout`; `error::closed`, after close().
    void start(CallOptions call = {});
    void start(error_code& ec, CallOptions call = {});

    /// Whether all was read since the start, and since the last time when the connection broke. No network.
    bool whole() const;

    /// Calls `listener` with `added` for each node that there is, with `whole` if it is, and then with each change, in order,
    /// one at a time, on `executor`, or on the client's if it is empty. Nothing is dropped however slow it is: what it has not
    /// heard yet is kept in memory.
    [[nodiscard]] Subscription listen(std::function<void(const CacheEvent&)> listener, asio::any_io_executor executor = {});

    /// Follows the nodes no longer. What is known stays to be read. Does not wait; closing again does nothing.
    void close();

protected:
    CacheBase(Client& client, const char* what, const detail::CacheShape& shape, CacheSelector selector);
    CacheBase(detail::SameObject, const CacheBase& other);
    ~CacheBase();

    CachedNodePtr find(std::string_view path) const;
    CachedNodes children_of(std::string_view path) const;
    CachedNodes all() const;

private:
    detail::ProcessOwned<void> keeping_; // ends with the last of those that are the same cache
};

} // namespace docent
