// SPDX-License-Identifier: Apache-2.0
#pragma once

// How public objects get a default completion token: see "Default tokens" in docs/client/client.md.
//
//     AsyncX<Base, Default>     the asynchronous operations of X, over what Base holds; tokens are Default where none is given
//     X                         AsyncX<Holder<Core>, deferred_t>, and everything else
//     Rebound<AsyncX<X, Other>> X with its asynchronous operations once more, which hide the first ones

#include <docent/detail/async.hpp>
#include <docent/detail/process_owned.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <concepts>
#include <memory>
#include <type_traits>

namespace docent::detail {

/// The token that an executor type names, as those do that `as_default_on()` makes; else `deferred`.
template <typename Executor>
using DefaultToken = std::conditional_t<std::is_void_v<asio::default_completion_token_t<Executor>>, asio::deferred_t,
                                        asio::default_completion_token_t<Executor>>;

/// Executors may be of any type that can be made of the one that there is.
template <typename Executor>
concept ReboundExecutor = std::constructible_from<Executor, asio::any_io_executor>;

/// An object and what is made of it by `as_default_on()` are one lock, one value: both work.
struct SameObject {};

/// What a public object holds; null if it was moved from.
template <typename Core> class Holder {
public:
    using executor_type = asio::any_io_executor;
    /// Where handlers without an executor of their own are called: that of the client. Empty for what was moved from.
    executor_type get_executor() const { return core_ ? executor_of(*core_) : executor_type{}; }

protected:
    Holder() = default;
    explicit Holder(std::shared_ptr<Core> core) : core_(std::move(core)) {}

    ProcessOwned<Core> core_;
};

/// A public object whose executor type is Executor: only in name, for its default token.
template <typename Face, ReboundExecutor Executor> class Rebound : public Face {
public:
    using Face::Face;

    using executor_type = Executor;
    executor_type get_executor() const { return executor_type(Face::get_executor()); }
};

} // namespace docent::detail
