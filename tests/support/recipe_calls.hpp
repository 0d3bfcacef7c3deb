// SPDX-License-Identifier: Apache-2.0
#pragma once

// The calls of consumer/all_recipes.hpp.

#include <docent/docent.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::test {

/// What a call asks for. It decides the error when the time of the call is over: docs/client/errors.md.
enum class Asks { answer, effect, turn, news };

/// A call of a recipe, on an object that is made for the call and destroyed after it.
struct RecipeCall {
    std::string_view recipe; ///< the name of the class
    std::string_view text;   ///< as all_recipes.hpp has it
    void (*make)(Client& c, const std::string& path, error_code& ec, const CallOptions& o);
};

struct RecipeCalls {
    struct Timed : RecipeCall {
        Asks asks;
    };
    std::vector<Timed> timed;
    std::vector<RecipeCall> that_need_parents;
};

/// An empty result without an error means that a try ended with `not_acquired`.
template <typename Held> void require_held(const std::optional<Held>& held, error_code& ec) {
    if (!held && !ec) ec = error::not_acquired;
}

inline RecipeCalls recipe_calls() {
    using namespace std::chrono_literals;
    std::string_view recipe;
    RecipeCalls calls;
#define DOCENT_RECIPE(Class) recipe = #Class
#define DOCENT_OPERATION(...) static_assert(true)
#define DOCENT_ACQUIRES(...) static_assert(true)
#define DOCENT_MAKE(...)                                                                                                       \
    []([[maybe_unused]] Client& c, [[maybe_unused]] const std::string& path, error_code& ec,                                   \
       [[maybe_unused]] const CallOptions& o) { static_cast<void>(__VA_ARGS__); }
#define DOCENT_TIMED(what, ...) calls.timed.push_back({{recipe, #__VA_ARGS__, DOCENT_MAKE(__VA_ARGS__)}, Asks::what})
#define DOCENT_NEEDS_PARENTS(...) calls.that_need_parents.push_back({recipe, #__VA_ARGS__, DOCENT_MAKE(__VA_ARGS__)})
#include "consumer/all_recipes.hpp"
#undef DOCENT_RECIPE
#undef DOCENT_OPERATION
#undef DOCENT_ACQUIRES
#undef DOCENT_MAKE
#undef DOCENT_TIMED
#undef DOCENT_NEEDS_PARENTS
    return calls;
}

} // namespace docent::test
