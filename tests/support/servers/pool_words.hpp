// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/testing/testing_server.hpp>

#include <boost/asio/local/stream_protocol.hpp>

#include <sys/types.h>

#include <istream>
#include <ostream>
#include <string>

namespace docent::test {

/// How a test and the pool talk: a line with a word asks, and the answer is a line `ok LENGTH` or `failed LENGTH` with so many
/// bytes after it. Who hangs up gives its server back.
using PoolStream = boost::asio::local::stream_protocol::iostream;

/// Where the pool for the tests of a ctest listens: an abstract socket, of which nothing is left in any folder. Tests, and what
/// starts and ends the pool, are children of that ctest.
inline boost::asio::local::stream_protocol::endpoint pool_endpoint(pid_t ctest) {
    std::string name("\0docent-servers-", 16);
    return {name + std::to_string(ctest)};
}

/// Options but port and folder as one line, which is also what tells servers apart.
std::string line_of(const docent::testing::ServerOptions& options);
docent::testing::ServerOptions options_in(const std::string& line);

struct PoolAnswer {
    bool ok = false; ///< Also false when nobody answers.
    std::string text;
};

inline void send_answer(std::ostream& to, const PoolAnswer& answer) {
    to << (answer.ok ? "ok " : "failed ") << answer.text.size() << '\n' << answer.text << std::flush;
}

inline PoolAnswer ask_pool(PoolStream& pool, const std::string& line) {
    pool << line << std::endl;
    PoolAnswer answer;
    std::string word;
    std::size_t length = 0;
    if (!(pool >> word >> length) || pool.get() != '\n') return {false, "nobody answers"};
    answer.text.resize(length);
    if (!pool.read(answer.text.data(), static_cast<std::streamsize>(length))) return {false, "nobody answers"};
    answer.ok = word == "ok";
    return answer;
}

} // namespace docent::test
