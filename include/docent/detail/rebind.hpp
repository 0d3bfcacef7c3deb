// SPDX-License-Identifier: Apache-2.0
#pragma once

// How public objects get a default completion token: see "Default tokens" in docs/client/client.md.
//
//     AsyncX<Base, Default>     the asynchronous operations of X, for the core in Base; the default token is Default
//     X                         its base BaseOn<X, Base, AsyncX> is an AsyncX<..., deferred_t>; see BaseOf and LockOf
//     Rebound<AsyncX<X, Other>> X, and its asynchronous operations with another default token, which hide the first ones

#include <docent/detail/async.hpp>
#include <docent/detail/process_owned.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <concepts>
#include <memory>
#include <type_traits>

namespace docent::detail {

/// The default token of an executor type, as `as_default_on()` sets it; `deferred` for other executors.
template <typename Executor>
using DefaultToken = std::conditional_t<std::is_void_v<asio::default_completion_token_t<Executor>>, asio::deferred_t,
                                        asio::default_completion_token_t<Executor>>;

/// An executor type that can be constructed from `asio::any_io_executor`.
template <typename Executor>
concept ReboundExecutor = std::constructible_from<Executor, asio::any_io_executor>;

/// Marks the constructor of an object that shares a lock or value with another object, for `as_default_on()`. Both work.
struct SameObject {};

/// Holds the implementation of a public object; null after a move.
template <typename Core> class Holder {
public:
    /// The type of executor on which the client calls handlers.
    using executor_type = asio::any_io_executor;
    /// Returns the client's executor, on which handlers without an executor are called; empty after a move.
    executor_type get_executor() const { return core_ ? executor_of(*core_) : executor_type{}; }

protected:
    /// Makes an empty object.
    Holder() = default;
    /// Takes the implementation.
    explicit Holder(std::shared_ptr<Core> core) : core_(std::move(core)) {}
    /// For `as_default_on()`: takes the implementation of another object.
    Holder(SameObject, const Holder& other) : core_(other.core_) {}

    ProcessOwned<Core> core_; ///< The implementation.
};

/// The constructors of the asynchronous operations of an object.
template <typename Base> class AsyncOf : public Base {
public:
    using Base::Base;
    /// Makes an empty object.
    AsyncOf() = default;
    /// For `as_default_on()`: an object for the same state as `base`.
    explicit AsyncOf(Base&& base) : Base(SameObject{}, base) {}
};

/// A public object with the executor type `Executor`. The type only selects the default token; the executor is the same.
template <typename Face, ReboundExecutor Executor> class Rebound : public Face {
public:
    using Face::Face;

    /// The executor type that carries the default token.
    using executor_type = Executor;
    /// Returns the executor of the object, converted to `executor_type`.
    executor_type get_executor() const { return executor_type(Face::get_executor()); }
};

/// The part of BaseOn that names the class with another default token.
template <typename Face, typename Base, template <typename, typename> class Async> class Rebindable : public Base {
public:
    /// For `as_default_on()`, see Client: `Face` with the default completion token of `Executor`.
    template <ReboundExecutor Executor> struct rebind_executor {
        /// The class with that default token.
        using other = Rebound<Async<Face, DefaultToken<Executor>>, Executor>;
    };

protected:
    using Base::Base;
};

/// The base of the public class `Face`: `Base`, and its asynchronous operations with `deferred` as default token.
template <typename Face, typename Base, template <typename, typename> class Async>
using BaseOn = Async<Rebindable<Face, Base, Async>, asio::deferred_t>;
/// The same with the implementation as `Base`.
template <typename Face, typename Core, template <typename, typename> class Async>
using BaseOf = BaseOn<Face, Holder<Core>, Async>;

} // namespace docent::detail
