// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/data_source.hpp"

#include "cli/arguments/usage_error.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace docent::cli {
namespace {

constexpr std::size_t most = 1U << 20; // ZooKeeper's jute.maxbuffer; the client checks the exact limit

std::string read_all(std::FILE* file, const std::string& name) {
    std::string data;
    std::array<char, 65536> block{};
    while (const auto count = std::fread(block.data(), 1, block.size(), file)) {
        data.append(block.data(), count);
        if (data.size() > most) throw UsageError(name + " is larger than ZooKeeper takes (1 MiB)");
    }
    if (std::ferror(file)) throw std::runtime_error("cannot read " + name + ": " + std::strerror(errno));
    return data;
}

} // namespace

std::string read_data(const DataSource& source) {
    if (const auto* typed = std::get_if<std::string>(&source)) return *typed;
    const auto* file = std::get_if<InputFile>(&source);
    if (file == nullptr) return read_all(stdin, "standard input");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> open(std::fopen(file->name.c_str(), "rb"), &std::fclose);
    if (!open) throw UsageError("cannot open " + file->name + ": " + std::strerror(errno));
    return read_all(open.get(), file->name);
}

} // namespace docent::cli
