// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/completion/turn.hpp"

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace docent::detail {

/// The executor of a client's own thread (`Inner`, an executor of its io_context), by which all that it runs has its turn. It
/// has the properties of the inner one.
template <typename Inner> class TurnExecutor {
public:
    TurnExecutor(Inner inner, std::shared_ptr<Turn> turn) noexcept : inner_(std::move(inner)), turn_(std::move(turn)) {}

    template <typename Property>
    decltype(auto) query(const Property& property) const requires(asio::can_query_v<const Inner&, Property>) {
        return asio::query(inner_, property);
    }
    template <typename Property>
    auto require(const Property& property) const requires(asio::can_require_v<const Inner&, Property>) {
        return around(asio::require(inner_, property));
    }
    template <typename Property>
    auto prefer(const Property& property) const requires(asio::can_prefer_v<const Inner&, Property>) {
        return around(asio::prefer(inner_, property));
    }

    template <typename Function> void execute(Function&& function) const {
        const bool is_posted = asio::query(inner_, asio::execution::blocking) == asio::execution::blocking.never;
        if (!turn_->is_lent()) turn_->execute(inner_, std::forward<Function>(function));
        else if (is_posted) turn_->keep(std::forward<Function>(function));
        else std::forward<Function>(function)();
    }

    friend bool operator==(const TurnExecutor& a, const TurnExecutor& b) noexcept {
        return a.inner_ == b.inner_ && a.turn_ == b.turn_;
    }
    friend bool operator!=(const TurnExecutor& a, const TurnExecutor& b) noexcept { return !(a == b); }

private:
    template <typename Other> auto around(Other inner) const { return TurnExecutor<Other>(std::move(inner), turn_); }

    Inner inner_;
    std::shared_ptr<Turn> turn_;
};

} // namespace docent::detail
