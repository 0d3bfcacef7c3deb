// SPDX-License-Identifier: Apache-2.0

#include "client/core/completion/completion.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <optional>
#include <type_traits>

namespace docent::detail {
namespace {

namespace execution = asio::execution;

template <typename Executor>
using Tracked = std::decay_t<decltype(asio::require(std::declval<Executor>(), execution::outstanding_work.tracked))>;

template <typename... Executors> struct List {};
/// The executors whose threads are known.
using Contexts = List<asio::io_context::executor_type, Tracked<asio::io_context::executor_type>,
                      asio::thread_pool::executor_type, Tracked<asio::thread_pool::executor_type>>;

template <typename... Executors> std::optional<asio::any_io_executor> below_strand(const auto& executor, List<Executors...>) {
    std::optional<asio::any_io_executor> inner;
    const auto look = [&]<typename Executor>(std::type_identity<Executor>) {
        if (const auto* strand = executor.template target<asio::strand<Executor>>()) inner = strand->get_inner_executor();
        return inner.has_value();
    };
    static_cast<void>((look(std::type_identity<asio::any_io_executor>{}) || ... || look(std::type_identity<Executors>{})));
    return inner;
}

template <typename... Executors> bool is_one_of(const auto& executor, List<Executors...>) {
    return (... || (executor.template target<Executors>() != nullptr));
}

template <typename... Executors> bool runs_here(const auto& executor, List<Executors...>) {
    const auto look = [&executor]<typename Executor>(std::type_identity<Executor>) {
        const auto* context = executor.template target<Executor>();
        return context != nullptr && context->running_in_this_thread();
    };
    return (... || look(std::type_identity<Executors>{}));
}

} // namespace

asio::any_io_executor below_strands(asio::any_io_executor executor) {
    while (auto inner = below_strand(executor, Contexts{})) executor = std::move(*inner);
    return executor;
}

bool runs_in_this_thread(const asio::any_io_executor& executor) {
    return executor && runs_here(below_strands(executor), Contexts{});
}

bool is_queue(const asio::any_completion_executor& executor) {
    if (is_one_of(executor, Contexts{})) return true;
    const auto inner = below_strand(executor, Contexts{});
    return inner && is_one_of(below_strands(*inner), Contexts{});
}

} // namespace docent::detail
