// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace docent::cli {

/// No drawing could be made. The text says why.
class NotDrawn : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

/// Draws a graph in Graphviz's language as SVG. Runs `dot`. Throws NotDrawn if `dot` is missing or fails.
std::string drawn_by_graphviz(const std::string& graph);

} // namespace docent::cli
