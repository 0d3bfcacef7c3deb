// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace docent::cli {

/// There is no drawing, and the text says why.
class NotDrawn : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

/// The graph, in Graphviz' language, as SVG. Runs `dot`, and throws NotDrawn if there is none, or if it fails.
std::string drawn_by_graphviz(const std::string& graph);

} // namespace docent::cli
