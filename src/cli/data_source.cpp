// SPDX-License-Identifier: Apache-2.0
#include "cli/data_source.hpp"

#include "cli/usage_error.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace docent::cli {
namespace {

constexpr std::size_t most = 1U << 20; // ZooKeeper's jute.maxbuffer; the client knows the exact limit

std::string read_standard_input() {
    std::string data;
    std::array<char, 65536> block{};
    while (const auto count = std::fread(block.data(), 1, block.size(), stdin)) {
        data.append(block.data(), count);
        if (data.size() > most) throw UsageError("standard input is larger than a node can be (1 MiB)");
    }
    if (std::ferror(stdin)) throw std::runtime_error(std::string("cannot read standard input: ") + std::strerror(errno));
    return data;
}

} // namespace

std::string read_data(const DataSource& source) {
    const auto* typed = std::get_if<std::string>(&source);
    return typed != nullptr ? *typed : read_standard_input();
}

} // namespace docent::cli
