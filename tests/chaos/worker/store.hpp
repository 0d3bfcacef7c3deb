// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "history/history.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace docent::chaos {

/// A number in a local file: a store outside of ZooKeeper. With Tokens::checked, it remembers the largest token of all reads
/// and writes, and refuses smaller ones. The file is its history.
class Store {
public:
    enum class Tokens { ignored, checked };
    Store(std::filesystem::path folder, Tokens tokens);

    /// Returns the number, or -1 if the token is refused.
    std::int64_t read(const Work& by, std::int64_t token) const;
    /// Returns false if the token is refused.
    bool write(const Work& by, std::int64_t token, std::int64_t value) const;

private:
    struct State {
        std::int64_t value = 0;
        std::int64_t token = 0;
    };
    template <typename Change> bool change(const Work& by, std::int64_t token, const Change& change) const;

    Tokens tokens_;
    std::string name_;
    std::filesystem::path file_;
};

} // namespace docent::chaos
