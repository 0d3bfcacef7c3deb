// SPDX-License-Identifier: Apache-2.0
#pragma once

// The forms that the table of the API requires of each operation.

#include <docent/docent.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace docent;
using Hours = std::chrono::hours;

/// A value for a call that is never made.
template <typename T> T&& some() {
    std::abort();
}

/// The calls of the table. They must be linked, too; only their number is used.
inline std::vector<void (*)()> calls;

/// True if the function can be called with these arguments and returns Result.
template <typename Result, typename Function, typename... Args> constexpr bool gives() {
    if constexpr (std::invocable<Function, Args...>) return std::same_as<std::invoke_result_t<Function, Args...>, Result>;
    else return false;
}

/// Both blocking forms of `call(arguments...)`, which returns Result, each with CallOptions and without.
template <typename Result, typename... Args> constexpr bool blocks(auto call) {
    using Call = decltype(call);
    return gives<Result, Call, Args...>() && gives<Result, Call, Args..., CallOptions>() &&
           gives<Result, Call, Args..., error_code&>() && gives<Result, Call, Args..., error_code&, CallOptions>();
}
/// The same for a try, which returns `std::nullopt` without success.
template <typename Result, typename... Args> constexpr bool tries(auto call) {
    return blocks<std::optional<Result>, Args...>(call);
}

/// The same for operations that ask no server and have no CallOptions.
template <typename Result, typename... Args> constexpr bool answers(auto call) {
    using Call = decltype(call);
    return gives<Result, Call, Args...>() && gives<Result, Call, Args..., error_code&>();
}
/// The same for the short forms of operations that have options, followed by CallOptions.
template <typename Result, typename... Args> constexpr bool blocks_shortly(auto call) {
    using Call = decltype(call);
    return gives<Result, Call, Args...>() && gives<Result, Call, Args..., error_code&>() &&
           gives<Result, Call, Args..., error_code&, CallOptions>();
}

/// The acquires with one limit in place of CallOptions.
template <typename Result, typename... Args> constexpr bool takes_limits(auto call) {
    using Call = decltype(call);
    return gives<Result, Call, Args..., Hours>() && gives<Result, Call, Args..., std::stop_token>() &&
           gives<Result, Call, Args..., error_code&, Hours>() && gives<Result, Call, Args..., error_code&, std::stop_token>();
}

template <typename Result, typename... Args> bool link_blocking(auto call) {
    using Call = decltype(call);
    calls.push_back([] { static_cast<void>(Call{}(some<Args>()...)); });
    calls.push_back([] { static_cast<void>(Call{}(some<Args>()..., some<error_code&>())); });
    return true;
}

/// A handler of an operation with this result.
template <typename Result> struct Plain {
    void operator()(error_code, Result) const {}
};

template <> struct Plain<void> {
    void operator()(error_code) const {}
};

/// True if the operation accepts the tokens of other libraries. One check is enough: another default token does not change the
/// accepted arguments.
template <typename Default, typename Call, typename... Args> constexpr bool takes_all() {
    if constexpr (!std::same_as<Default, asio::deferred_t>) return true;
    else
        return std::invocable<Call, Args..., const asio::use_future_t<>&> &&
               std::invocable<Call, Args..., const asio::use_awaitable_t<>&> && std::invocable<Call, Args..., asio::detached_t>;
}

template <typename Default, typename Call, typename... Args> constexpr bool is_default() {
    if constexpr (std::invocable<Call, Args...> && std::invocable<Call, Args..., Default>) {
        return std::same_as<std::invoke_result_t<Call, Args...>, std::invoke_result_t<Call, Args..., Default>>;
    } else {
        return false;
    }
}

/// The asynchronous form without CallOptions: with tokens of all kinds, and without a token, which means Default.
template <typename Default, typename Result, typename... Args> constexpr bool completes_shortly(auto call) {
    using Call = decltype(call);
    return std::invocable<Call, Args..., Plain<Result>> && takes_all<Default, Call, Args...>() &&
           is_default<Default, Call, Args...>();
}

/// The same, with CallOptions and without.
template <typename Default, typename Result, typename... Args> constexpr bool completes(auto call) {
    return completes_shortly<Default, Result, Args...>(call) && completes_shortly<Default, Result, Args..., CallOptions>(call);
}

/// The same with one limit in place of CallOptions.
template <typename Default, typename Result, typename... Args> constexpr bool completes_in_limits(auto call) {
    return completes_shortly<Default, Result, Args..., Hours>(call) &&
           completes_shortly<Default, Result, Args..., std::stop_token>(call);
}

template <typename Result, typename... Args> bool link_async(auto call) {
    using Call = decltype(call);
    calls.push_back([] { Call{}(some<Args>()..., some<CallOptions>(), Plain<Result>{}); });
    return true;
}

// A member as a callable object. It is SFINAE-friendly, so that a missing member is a failed assertion with a line number.
#define DOCENT_MEMBER(Object, name)                                                                                            \
    [](auto&&... args) -> decltype(some<On<Object>&>().name(std::forward<decltype(args)>(args)...)) {                          \
        return some<On<Object>&>().name(std::forward<decltype(args)>(args)...);                                                \
    }
#define DOCENT_FREE(name)                                                                                                      \
    [](auto&&... args) -> decltype(name(some<On<Client>&>(), std::forward<decltype(args)>(args)...)) {                         \
        return name(some<On<Client>&>(), std::forward<decltype(args)>(args)...);                                               \
    }
#define DOCENT_LINKED(line) DOCENT_JOINED(linked_, line)
#define DOCENT_JOINED(a, b) DOCENT_JOINED_AT_LAST(a, b)
#define DOCENT_JOINED_AT_LAST(a, b) a##b

// Each macro checks and links one operation. The arguments are the result and the types of the operation's arguments.

/// The blocking and the asynchronous forms.
#define DOCENT_OPERATION(Object, name, ...)                                                                                    \
    static_assert(blocks<__VA_ARGS__>(DOCENT_MEMBER(Object, name)));                                                           \
    static_assert(completes<Default, __VA_ARGS__>(DOCENT_MEMBER(Object, async_##name)));                                       \
    [[maybe_unused]] const bool DOCENT_LINKED(__LINE__) = link_blocking<__VA_ARGS__>(DOCENT_MEMBER(Object, name)) &&           \
                                                          link_async<__VA_ARGS__>(DOCENT_MEMBER(Object, async_##name))
/// The short forms of both, for an operation with options.
#define DOCENT_SHORTLY(Object, name, ...)                                                                                      \
    static_assert(blocks_shortly<__VA_ARGS__>(DOCENT_MEMBER(Object, name)));                                                   \
    static_assert(completes_shortly<Default, __VA_ARGS__>(DOCENT_MEMBER(Object, async_##name)));                               \
    [[maybe_unused]] const bool DOCENT_LINKED(__LINE__) = link_blocking<__VA_ARGS__>(DOCENT_MEMBER(Object, name))
#define DOCENT_BLOCKS(Object, name, ...)                                                                                       \
    static_assert(blocks<__VA_ARGS__>(DOCENT_MEMBER(Object, name)));                                                           \
    [[maybe_unused]] const bool DOCENT_LINKED(__LINE__) = link_blocking<__VA_ARGS__>(DOCENT_MEMBER(Object, name))
#define DOCENT_ANSWERS(Object, name, ...)                                                                                      \
    static_assert(answers<__VA_ARGS__>(DOCENT_MEMBER(Object, name)));                                                          \
    [[maybe_unused]] const bool DOCENT_LINKED(__LINE__) = link_blocking<__VA_ARGS__>(DOCENT_MEMBER(Object, name))
#define DOCENT_ASYNC_SHORTLY(Object, name, ...)                                                                                \
    static_assert(completes_shortly<Default, __VA_ARGS__>(DOCENT_MEMBER(Object, name)))
/// All acquires of a lock, also with one limit in place of CallOptions.
#define DOCENT_ACQUIRES(Object, ...)                                                                                           \
    static_assert(blocks<__VA_ARGS__>(DOCENT_MEMBER(Object, acquire)));                                                        \
    static_assert(takes_limits<__VA_ARGS__>(DOCENT_MEMBER(Object, acquire)));                                                  \
    static_assert(completes<Default, __VA_ARGS__>(DOCENT_MEMBER(Object, async_acquire)));                                      \
    static_assert(completes_in_limits<Default, __VA_ARGS__>(DOCENT_MEMBER(Object, async_acquire)));                            \
    static_assert(tries<__VA_ARGS__>(DOCENT_MEMBER(Object, try_acquire)));                                                     \
    static_assert(completes<Default, __VA_ARGS__>(DOCENT_MEMBER(Object, async_try_acquire)));                                  \
    static_assert(tries<__VA_ARGS__, Hours>(DOCENT_MEMBER(Object, try_acquire_for)));                                          \
    static_assert(completes<Default, __VA_ARGS__, Hours>(DOCENT_MEMBER(Object, async_try_acquire_for)));                       \
    [[maybe_unused]] const bool DOCENT_LINKED(__LINE__) =                                                                      \
        link_blocking<__VA_ARGS__>(DOCENT_MEMBER(Object, acquire)) &&                                                          \
        link_async<__VA_ARGS__>(DOCENT_MEMBER(Object, async_acquire)) &&                                                       \
        link_blocking<__VA_ARGS__>(DOCENT_MEMBER(Object, try_acquire)) &&                                                      \
        link_async<__VA_ARGS__>(DOCENT_MEMBER(Object, async_try_acquire)) &&                                                   \
        link_blocking<__VA_ARGS__, Hours>(DOCENT_MEMBER(Object, try_acquire_for)) &&                                           \
        link_async<__VA_ARGS__, Hours>(DOCENT_MEMBER(Object, async_try_acquire_for))
/// Checks a recipe of all_recipes.hpp. The macros for its calls do nothing here: these calls are for other tests.
#define DOCENT_RECIPE(Object)                                                                                                  \
    static_assert(have_executors<Object>);                                                                                     \
    static_assert(stays<Object>);                                                                                              \
    static_assert(end_quietly<Object>)
#define DOCENT_TIMED(...) static_assert(true)
#define DOCENT_NEEDS_PARENTS(...) static_assert(true)

using Path = const char*;
using Text = const char*;
using Everybody = std::vector<Participant>;
using Found = std::optional<Stat>;
using Permits = std::vector<Lease>;
