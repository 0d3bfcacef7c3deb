// SPDX-License-Identifier: Apache-2.0

// The work of a LeaderSelector: what its constructor takes, and a coroutine that would never run. See refused.sh.

#include <docent/docent.hpp>

#include <type_traits>

namespace {

using docent::Client;
using docent::LeaderSelector;

const auto function = [](const docent::Lease&) {};
const auto coroutine = [](docent::Leadership) -> boost::asio::awaitable<void> { co_return; };
const auto by_reference = [](const docent::Lease&) -> boost::asio::awaitable<void> { co_return; };

template <typename Work> constexpr bool is_taken = std::is_constructible_v<LeaderSelector, Client&, const char*, Work>;
static_assert(is_taken<decltype(function)> && is_taken<decltype(coroutine)>);
static_assert(is_taken<LeaderSelector::Work> && is_taken<LeaderSelector::CoroutineWork>);
static_assert(!is_taken<decltype(by_reference)>);

} // namespace

void use(Client& client) {
    LeaderSelector first{client, "/elections/report", function, {.id = "a"}};
    LeaderSelector second{client, "/elections/report", coroutine, {.id = "b"}};
#ifdef BY_REFERENCE
    LeaderSelector third{client, "/elections/report", by_reference, {.id = "c"}};
#endif
}
