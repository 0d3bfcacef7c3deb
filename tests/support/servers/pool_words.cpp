// SPDX-License-Identifier: Apache-2.0
#include "servers/pool_words.hpp"

#include <stdexcept>

namespace docent::test {

using docent::testing::ServerOptions;

namespace {

constexpr char field_end = '\t';

void append(std::string& line, const std::string& field) {
    if (field.find_first_of("\t\n") != std::string::npos)
        throw std::invalid_argument("no tabs and lines in a server's options");
    line += field + field_end;
}

} // namespace

std::string line_of(const ServerOptions& options) {
    std::string line;
    append(line, std::to_string(options.tick_time.count()));
    for (const auto& [name, value] : options.properties) append(line, "property " + name + '=' + value);
    for (const std::string& option : options.java_options) append(line, option);
    return line;
}

ServerOptions options_in(const std::string& line) {
    static const std::string property = "property ";
    ServerOptions options;
    std::size_t begin = 0;
    for (std::size_t end; (end = line.find(field_end, begin)) != std::string::npos; begin = end + 1) {
        const std::string field = line.substr(begin, end - begin);
        if (begin == 0) {
            options.tick_time = std::chrono::milliseconds(std::stoll(field));
        } else if (field.starts_with(property)) {
            const auto equals = field.find('=');
            options.properties[field.substr(property.size(), equals - property.size())] = field.substr(equals + 1);
        } else {
            options.java_options.push_back(field);
        }
    }
    return options;
}

} // namespace docent::test
